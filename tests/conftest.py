"""What holds for every test: nothing is asked of the internet, and small matrices are not split over cores."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")
