/*  Codes of all inputs, what is nearest to each, and what a class learns of them: printed by an export on a board. */
#include "board.h"
#include "hypertorus.h"
#include "inputs.h"
#include "model.h"

static void row(const char *name, const uint8_t *code, uint32_t first, uint32_t second) {
    board_text(name);
    for (uint16_t i = 0; i < HT_CODE_BYTES; i++) {
        board_text(" ");
        board_number(code[i]);
    }
    board_text(" ");
    board_number(first);
    board_text(" ");
    board_number(second);
    board_text("\n");
}

int main(void) {
    ht_input input[HT_INPUTS];
    uint8_t code[HT_CODE_BYTES];
    ht_class learned[2];
    board_begin();
    for (uint16_t i = 0; i < sizeof learned; i++) ((uint8_t *)learned)[i] = 0;
    for (uint16_t n = 0; n < INPUTS; n++) {
        for (uint16_t i = 0; i < HT_INPUTS; i++) input[i] = (ht_input)HYPERTORUS_READ8(inputs[n] + i);
        ht_encode(input, code);
        ht_match match = ht_nearest(code);
        row("nearest", code, match.code, match.distance);
        if (n % 2) ht_learn(learned + 1, code);
        row("learned", learned[1].code, learned[1].examples, ht_classify(code, learned, 2));
    }
    board_end();
    return 0;
}
