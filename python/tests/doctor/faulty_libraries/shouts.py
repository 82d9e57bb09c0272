"""Prints where the report goes, and refuses with text that would do harm if it were taken for more than text."""

import os

TEXT = '\x1b[31m<script>alert("1")</script> & | `code` \x00\u202e'


def take(array):
    print("noise")
    os.write(1, b'{"ends": "plain", "result": {"outcome": "shared"}}\n')
    raise SystemExit(TEXT)
