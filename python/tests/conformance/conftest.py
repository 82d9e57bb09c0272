"""AddressSanitizer turns signals into its own reports and keeps freed memory, so that crashes and leaks look otherwise."""

import os

collect_ignore_glob = ["test_*.py"] if "DLFERRY_ASAN" in os.environ else []
