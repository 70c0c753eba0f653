"""How tests compile the native core."""

import subprocess
from pathlib import Path

NATIVE = Path(__file__).parents[2] / "native"
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def compile_core(compiler: list[str], folder: Path, optimise: str, optimise_kernels: str) -> list[Path]:
    """The objects of the core.

    Kernels are inlined many times over, so that a compiler that instruments them takes a minute to optimise them, which
    is more than their tests take to run: builds with sanitizers leave kernels as they are written.
    """
    sources = sorted(NATIVE.glob("*.c"))
    kernels = [path for path in sources if "_avx" in path.stem]
    rest = [path for path in sources if path not in kernels]
    compile_in(folder, [*compiler, *STRICT, optimise_kernels, "-c", *kernels])
    compile_in(folder, [*compiler, *STRICT, optimise, "-c", *rest])
    return [folder / f"{path.stem}.o" for path in sources]


def compile_in(folder: Path, command: list[str | Path]) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
