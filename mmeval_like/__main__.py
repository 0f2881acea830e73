"""The program: `python -m mmeval_like`, and the script `mmeval_like`."""

import os
import signal
import sys
from _thread import interrupt_main
from contextlib import suppress
from threading import Timer
from typing import Any

__all__ = ["run"]

_INTERRUPTED = 130


def run() -> int:
    """Run the command line of this process; return its exit code. Ctrl-C ends it with 130.

    If an interrupt comes during an import, the module may raise another error, and Python may end
    as if nothing had caught it; and one that comes while Python ends is shown with a traceback. So
    after the first one, this function ends the process itself, and no other one counts. Python
    drops an interrupt that comes in a callback, such as that of a weak reference, with a traceback:
    it is made again when the callback has ended.
    """
    told = False

    def interrupt(*_: Any) -> None:
        nonlocal told
        told = True
        raise KeyboardInterrupt

    def dropped(error: Any) -> None:
        if isinstance(error.exc_value, KeyboardInterrupt):
            Timer(0.01, interrupt_main).start()
        else:
            sys.__unraisablehook__(error)

    code = _INTERRUPTED
    try:
        sys.unraisablehook = dropped
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
