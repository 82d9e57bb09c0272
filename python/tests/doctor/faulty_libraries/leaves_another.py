"""Starts a process that outlives it and holds what it held open."""

import os
import subprocess
import sys


def take(array):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(8)"], close_fds=False)
    os.abort()
