"""Boards tell the truth: what a program printed, what it counted and occupied, and why it failed."""

import shutil
import subprocess
import textwrap

import pytest

from hypertorus.export.boards import BOARDS

# A stretch of code whose cost stands in the data sheet: 65,536 rounds of 4 cycles less one, and two loads; or 200
# instructions. Four overflows of the 16-bit timer fall into the first.
KNOWN_COST = r"""
#ifdef __AVR__
    __asm__ volatile("ldi r24, 0\n ldi r25, 0\n 1: sbiw r24, 1\n brne 1b" ::: "r24", "r25");
#elif defined(__arm__) || defined(__riscv)
    __asm__ volatile(".rept 200\n nop\n .endr");
#endif
"""
COSTS = {"cycles": 2 + 4 * 65_536 - 1, "instructions": 200, "nothing": 0}


def usable(name):
    if missing := BOARDS[name].missing_tools():
        pytest.skip(f"not installed: {' '.join(missing)} (make setup-firmware)")
    return BOARDS[name]


@pytest.fixture(params=BOARDS)
def board(request):
    return usable(request.param)


@pytest.fixture(params=[name for name in BOARDS if name != "host"])
def simulated(request):
    return usable(request.param)


def build(board, folder, body, top=""):
    source = folder / "program.c"
    source.write_text(f'#include "board.h"\n{top}\nint main(void) {{\n    board_begin();\n{body}\n    return 0;\n}}\n')
    return board.build([source], [], folder / "program.elf")


def test_prints_text_and_numbers(board, tmp_path):
    body = r'board_text("half\n\n  and ."); board_number(0); board_text(" "); board_number(4294967295u);'
    assert build(board, tmp_path, body + r'board_text(".\n"); board_end();').run() == "half\n\n  and .0 4294967295.\n"


def test_variables_have_their_first_values(board, tmp_path):
    top = 'volatile uint16_t first = 54321; volatile uint16_t zero; const char *volatile text = "here";'
    body = r'board_number(first); board_number(zero); board_text(text); board_text("\n"); board_end();'
    assert build(board, tmp_path, body, top).run() == "543210here\n"


def test_counts_exactly_what_lies_between_two_calls(board, tmp_path):
    once = f"    {{ uint32_t begin = board_ticks();\n{KNOWN_COST}\n    record(board_ticks() - begin); }}\n"
    nothing = "    { uint32_t begin = board_ticks(); record(board_ticks() - begin); }\n"
    top = r'static void record(uint32_t ticks) { board_number(ticks); board_text("\n"); }'
    counted = build(board, tmp_path, once * 4 + nothing * 4 + "board_end();", top).run().split()
    kept = 0 if board.unit != "instructions" else 1  # the first reading may be moved to another register
    assert counted[4:] == ["0"] * 4 or board.unit == "instructions"
    for found in counted[:4]:
        assert 0 <= int(found) - COSTS[board.unit] <= kept


@pytest.mark.parametrize("bytes_used", [100, 700])
def test_measures_the_stack_at_its_deepest(bytes_used, board, tmp_path):
    top = f"""
    __attribute__((noinline)) static void deep(void) {{
        volatile uint8_t room[{bytes_used}];
        for (uint16_t i = 0; i < sizeof room; i++) room[i] = 1;
    }}"""
    stack = int(
        build(board, tmp_path, r'deep(); board_number(board_stack()); board_text("\n"); board_end();', top).run()
    )
    assert stack == 0 if board.name == "host" else bytes_used < stack < bytes_used + 150


def test_sizes_are_those_of_code_constants_and_variables(simulated, tmp_path):
    small = build(simulated, tmp_path, "board_end();")
    top = "volatile uint8_t zeros[300]; volatile uint8_t values[200] = {1}; const uint8_t table[400] = {1};"
    read = "zeros[0] = values[zeros[1]] + *(const volatile uint8_t *)(table + zeros[2]);"
    large = build(simulated, tmp_path, read + "board_end();", top)
    constants_in_ram = 400 if simulated.name == "atmega328p" else 0
    assert 500 + constants_in_ram <= large.ram - small.ram <= 564 + constants_in_ram
    assert 600 <= large.flash - small.flash <= 700


def test_functions_nobody_calls_are_left_out(simulated, tmp_path):
    top = "const volatile uint8_t unused_table[2000] = {1}; void unused(void) { board_number(unused_table[7]); }"
    assert build(simulated, tmp_path, "board_end();", top).flash == build(simulated, tmp_path, "board_end();").flash


@pytest.mark.parametrize("memory", ["flash", "RAM"])
def test_a_program_that_does_not_fit_is_refused_with_the_bytes_it_lacks(memory, simulated, tmp_path):
    room = getattr(simulated, memory.lower())
    in_flash = '__attribute__((section(".progmem.data")))' if simulated.name == "atmega328p" else ""
    top = {
        "flash": f"const uint8_t many[{room}] {in_flash} = {{1}};",
        "RAM": f"volatile uint8_t many[{room}];",
    }[memory]
    read = "board_number(*(const volatile uint8_t *)(many + board_ticks())); board_end();"
    with pytest.raises(ValueError, match=rf"bytes of {memory} and {simulated.name} has {room:,}: [\d,]+ too many"):
        build(simulated, tmp_path, read, top)


def test_source_that_does_not_compile_is_shown(board, tmp_path):
    with pytest.raises(ValueError, match=rf"program\.c cannot be built for {board.name}:[\s\S]*nonsense"):
        build(board, tmp_path, "nonsense;")


def test_definitions_and_headers_arrive(board, tmp_path):
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "more.h").write_text("#define MORE 20\n")
    source = tmp_path / "program.c"
    source.write_text(
        '#include "board.h"\n#include "more.h"\n'
        r'int main(void) { board_begin(); board_number(MORE + GIVEN); board_text("\n"); board_end(); return 0; }'
    )
    program = board.build([source], [tmp_path / "headers"], tmp_path / "new" / "p.elf", {"GIVEN": 22}, optimise="-Os")
    assert program.run() == "42\n"


def test_a_program_that_hangs_is_stopped_and_what_it_said_is_shown(board, tmp_path):
    program = build(board, tmp_path, r'board_text("so far\n"); for (volatile int i = 0;; i = 1) {}')
    with pytest.raises(TimeoutError, match=r"program\.elf on .* did not end within 1 s; it said:[\s\S]*so far"):
        program.run(timeout=1)
    left = subprocess.run(["pgrep", "-f", str(program.elf)], capture_output=True, text=True, check=False)
    assert left.stdout == ""


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
    with pytest.raises(
        RuntimeError, match=rf"broke off before board_end\(\) [\s\S]*so far[\s\S]*{why}|{why}[\s\S]*so far"
    ):
        program.run(timeout=20)


def test_a_program_that_ends_without_a_word_is_an_error(board, tmp_path):
    with pytest.raises((RuntimeError, TimeoutError), match=r"before board_end|did not end"):
        build(board, tmp_path, "").run(timeout=2)


def test_a_stack_that_runs_into_the_variables_is_noticed(simulated, tmp_path):
    room = simulated.ram - 250
    top = f"""
    volatile uint8_t variables[250];
    __attribute__((noinline)) static void deep(void) {{
        volatile uint8_t room[{room}];
        for (uint16_t i = 0; i < sizeof room; i++) room[i] = variables[i & 127];
    }}"""
    with pytest.raises(RuntimeError, match="the stack ran into the variables"):
        build(simulated, tmp_path, "deep(); board_end();", top).run()


def test_without_tools_the_packages_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda _command: None)
    expected = "atmega328p needs gcc-avr, simavr, avr-libc, not installed here; run: make setup-firmware"
    with pytest.raises(FileNotFoundError, match=textwrap.dedent(expected)):
        build(BOARDS["atmega328p"], tmp_path, "board_end();")
