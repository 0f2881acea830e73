"""The program: `python -m mmeval_like`, and the script `mmeval_like`."""

import os
import signal
import sys
from contextlib import suppress
from typing import Any

__all__ = ["run"]

_INTERRUPTED = 130


def run() -> int:
    """Run the command line of this process; return its exit code. Ctrl-C ends it with 130.

    If an interrupt comes during an import, the module may raise another error, and Python may end
    as if nothing had caught it; and one that comes while Python ends is shown with a traceback. So
    after the first one, this function ends the process itself, and no other one counts.
    """
    told = False

    def interrupt(*_: Any) -> None:
        nonlocal told
        told = True
        raise KeyboardInterrupt

    code = _INTERRUPTED
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored
            signal.signal(signal.SIGINT, interrupt)
        from mmeval_like.cli import main

        code = main()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except BaseException:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if not told:
            raise
    if told:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(_INTERRUPTED)
    return code


if __name__ == "__main__":
    sys.exit(run())
