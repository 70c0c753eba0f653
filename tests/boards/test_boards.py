"""Boards tell the truth: what a program printed, what it counted and occupied, and why it failed."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hypertorus.boards import BOARDS

# Text, first values of variables, ticks of a stretch whose cost stands in the data sheet (65,536 rounds of 4 cycles,
# less one, and two loads, with four overflows of the 16-bit timer; or 100 instructions), ticks of nothing, and stack.
TOUR = r"""
#include "board.h"
#include "more.h"

volatile uint16_t first = 54321, zero;
const char *volatile text = "here";
static uint32_t ticks[8];

#ifdef __AVR__
#define KNOWN_COST __asm__ volatile("ldi r24, 0\n ldi r25, 0\n 1: sbiw r24, 1\n brne 1b" ::: "r24", "r25")
#elif defined(__arm__) || defined(__riscv)
#define KNOWN_COST __asm__ volatile(".rept 100\n nop\n .endr")
#else
#define KNOWN_COST (void)0
#endif

static __attribute__((noinline)) void count(uint32_t *costly, uint32_t *free) {
    uint32_t begin = board_ticks();
    KNOWN_COST;
    *costly = board_ticks() - begin;
    begin = board_ticks();
    *free = board_ticks() - begin;
}

static __attribute__((noinline)) void deep(void) {
    volatile uint8_t room[ROOM];
    for (uint16_t i = 0; i < sizeof room; i++) room[i] = 1;
}

int main(void) {
    board_begin();
    board_text("half\n\n  and .");
    board_number(0);
    board_text(" ");
    board_number(4294967295u);
    board_text(".\nvariables ");
    board_number(first);
    board_number(zero);
    board_text(text);
    board_text("\ndefinitions ");
    board_number(MORE + GIVEN);
    for (uint8_t i = 0; i < 8; i += 2) count(ticks + i, ticks + i + 1);
    board_text("\nticks");
    for (uint8_t i = 0; i < 8; i++) {
        board_text(" ");
        board_number(ticks[i]);
    }
    deep();
    board_text("\nlong ");
    for (uint16_t i = 0; i < 300; i++) board_number(i);
    board_text("\nstack ");
    board_number(board_stack());
    board_text("\n");
    board_end();
    return 0;
}
"""
ROOM = 700
COSTS = {"cycles": 2 + 4 * 65_536 - 1, "instructions": 100, "nothing": 0}


def usable(name):
    if missing := BOARDS[name].missing_tools():
        pytest.skip(f"not installed: {' '.join(missing)} (make setup-firmware)")
    return BOARDS[name]


@pytest.fixture(scope="module", params=BOARDS)
def board(request):
    return usable(request.param)


@pytest.fixture(scope="module")
def said(board, tmp_path_factory):
    folder = tmp_path_factory.mktemp(board.name)
    (folder / "headers").mkdir()
    (folder / "headers" / "more.h").write_text("#define MORE 20\n")
    (folder / "tour.c").write_text(TOUR)
    defines = {"GIVEN": 22, "ROOM": ROOM}
    text = board.build([folder / "tour.c"], [folder / "headers"], folder / "new" / "tour.elf", defines, "-Os").run()
    return text, {line.partition(" ")[0]: line.partition(" ")[2] for line in text.splitlines()}


@pytest.fixture(params=[name for name in BOARDS if name != "host"])
def simulated(request):
    return usable(request.param)


def build(board, folder, body, top=""):
    source = folder / "program.c"
    source.write_text(f'#include "board.h"\n{top}\nint main(void) {{\n    board_begin();\n{body}\n    return 0;\n}}\n')
    return board.build([source], [], folder / "program.elf")


def test_prints_text_and_numbers(said):
    assert said[0].startswith("half\n\n  and .0 4294967295.\nvariables")


def test_lines_may_be_long(said):
    assert said[1]["long"] == "".join(map(str, range(300)))


def test_variables_have_their_first_values(said):
    assert said[1]["variables"] == "543210here"


def test_definitions_and_headers_arrive(said):
    assert said[1]["definitions"] == "42"


def test_counts_exactly_what_lies_between_two_calls(said, board):
    ticks = [int(number) for number in said[1]["ticks"].split()]
    spare = {"cycles": 4, "instructions": 1, "nothing": 0}[board.unit]  # the first reading is put aside
    assert all(0 <= costly - COSTS[board.unit] <= spare for costly in ticks[::2])
    assert all(0 <= free <= spare for free in ticks[1::2])
    assert len({costly - free for costly, free in zip(ticks[::2], ticks[1::2], strict=True)}) == 1


def test_measures_the_stack_at_its_deepest(said, board):
    stack = int(said[1]["stack"])
    assert stack == 0 if board.name == "host" else ROOM < stack < ROOM + 150


def test_sizes_count_code_constants_and_variables_and_nothing_unused(simulated, tmp_path):
    small = build(simulated, tmp_path, "board_end();")
    unused = "const volatile uint8_t other[2000] = {1}; void unused(void) { board_number(other[7]); }\n"
    top = unused + "volatile uint8_t zeros[300], values[200] = {1}; const uint8_t table[400] = {1};"
    read = "zeros[0] = values[zeros[1]] + *(const volatile uint8_t *)(table + zeros[2]);"
    large = build(simulated, tmp_path, read + "board_end();", top)
    constants_in_ram = 400 if simulated.name == "atmega328p" else 0
    assert 500 + constants_in_ram <= large.ram - small.ram <= 510 + constants_in_ram
    assert 600 <= large.flash - small.flash <= 700


@pytest.mark.parametrize("name", ["atmega328p", "cortex-m3"])
@pytest.mark.parametrize("memory", ["flash", "RAM"])
def test_a_program_that_does_not_fit_is_refused_with_the_bytes_it_lacks(memory, name, tmp_path):
    board = usable(name)
    room = getattr(board, memory.lower())
    in_flash = '__attribute__((section(".progmem.data")))' if name == "atmega328p" else ""
    many = {"flash": f"const uint8_t many[{room - 1}] {in_flash} = {{1}};", "RAM": f"volatile uint8_t many[{room}];"}
    read = "board_number(*(const volatile uint8_t *)(many + board_ticks())); board_end();"
    with pytest.raises(ValueError, match=rf"bytes of {memory} and {name} has {room:,}: [\d,]+ too many"):
        build(board, tmp_path, read, many[memory])


def test_source_that_does_not_compile_is_shown(tmp_path):
    with pytest.raises(ValueError, match=r"program\.c cannot be built for host:[\s\S]*nonsense"):
        build(usable("host"), tmp_path, "nonsense;")


@pytest.mark.parametrize("name", ["atmega328p", "cortex-m3", "host"])
def test_a_program_that_hangs_is_stopped_and_what_it_said_is_shown(name, tmp_path):
    program = build(usable(name), tmp_path, r'board_text("so far\n"); for (volatile int i = 0;; i = 1) {}')
    with pytest.raises(TimeoutError, match=r"program\.elf on .* did not end within 1 s; it printed:[\s\S]*so far"):
        program.run(timeout=1)
    assert not running(program)


def test_a_simulator_ends_with_ctrl_c(tmp_path):
    program = build(usable("cortex-m3"), tmp_path, "for (volatile int i = 0;; i = 1) {}")
    code = f"""
from hypertorus.boards import BOARDS, Program
from pathlib import Path
Program("cortex-m3", Path({str(program.elf)!r}), BOARDS["cortex-m3"].simulator, 0, 0).run()"""
    caller = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: running(program))
    caller.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in caller.communicate(timeout=20)[1]
    assert not running(program)


def running(program):
    command = [*program.simulator, str(program.elf)]
    return any(arguments(process) == command for process in Path("/proc").glob("[0-9]*"))


def arguments(process):
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    except OSError:  # it ended meanwhile
        return []


def wait_until(condition):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("it did not begin")


CRASHES = {
    "atmega328p": "((void (*)(void))0)();",
    "cortex-m0": '__asm__ volatile("udf #0");',
    "cortex-m3": "*(volatile uint32_t *)0xF0000000 = 1;",
    "cortex-m4": "((void (*)(void))0x30000000)();",
    "riscv32": "*(volatile uint32_t *)0 = 1;",
    "host": "volatile int32_t largest = 2147483647; largest = largest + 1;",
}


def test_a_program_that_crashes_is_an_error_with_its_words(board, tmp_path):
    program = build(board, tmp_path, rf'board_text("so far\n"); {CRASHES[board.name]} board_end();')
    why = "signed integer overflow" if board.name == "host" else r"\[fault\]"
    with pytest.raises(RuntimeError, match=rf"stopped before board_end\(\) [\s\S]*so far[\s\S]*{why}"):
        program.run(timeout=20)


@pytest.mark.parametrize("name", ["cortex-m3", "riscv32", "host"])
def test_a_program_that_ends_without_board_end_is_an_error(name, tmp_path):
    with pytest.raises(RuntimeError, match="before board_end"):
        build(usable(name), tmp_path, "").run()


def test_a_stack_that_runs_into_the_variables_is_noticed(simulated, tmp_path):
    top = f"""
    volatile uint8_t variables[250];
    __attribute__((noinline)) static void deep(void) {{
        volatile uint8_t room[{simulated.ram - 250}];
        for (uint16_t i = 0; i < sizeof room; i++) room[i] = variables[i & 127];
    }}"""
    with pytest.raises(RuntimeError, match="the stack ran into the variables"):
        build(simulated, tmp_path, "deep(); board_end();", top).run()


def test_without_tools_the_packages_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda _command: None)
    expected = "atmega328p needs gcc-avr, simavr, avr-libc, which are not installed; run: make setup-firmware"
    with pytest.raises(FileNotFoundError, match=expected):
        build(BOARDS["atmega328p"], tmp_path, "board_end();")


def test_versions_are_what_the_tools_say():
    told = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout
    assert BOARDS["host"].versions() == {"cc": told.splitlines()[0]}
    with_a_library = BOARDS["riscv32"].versions()
    assert list(with_a_library) == [
        "riscv64-unknown-elf-gcc",
        "qemu-system-riscv32",
        "picolibc-riscv64-unknown-elf",
    ]
