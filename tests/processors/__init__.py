"""Whether metrics have the same bits at several levels of instructions of this processor."""
