"""Run the command in a folder of each rank, with the arguments in it."""

import json
import os
import sys
from pathlib import Path

from mmeval_like._base.launchers import detect_launcher
from mmeval_like.cli import main

if __name__ == "__main__":
    place = detect_launcher()
    os.chdir(Path(sys.argv[1], str(place.rank if place else 0)))
    sys.exit(main(json.loads(Path("words.json").read_text())))
