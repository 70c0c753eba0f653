/*  main.c: a classifier at work on any board: it says what each test image shows, learns a class that it has never
 *  seen from a few examples, looks at the images again, and counts what all of it costs.
 *
 *  model.h comes from `hypertorus export c`, images.h from whoever runs this (see run.py), board.h stands for the chip.
 */
#include "board.h"
#include "hypertorus.h"
#include "images.h"
#include "model.h"

typedef struct {
    uint32_t calls, sum, most;
} cost;

static cost encoding, nearest, classifying, learning;
static ht_class learned[1];

static void count(cost *of, uint32_t ticks) {
    of->calls++;
    of->sum += ticks;
    if (ticks > of->most) of->most = ticks;
}

/*  An image comes out of flash here, and from a camera elsewhere. */
static void see(const ht_input *image, uint8_t *code) {
    ht_input input[HT_INPUTS];
    for (uint16_t i = 0; i < HT_INPUTS; i++) input[i] = (ht_input)HYPERTORUS_READ8((const uint8_t *)image + i);
    uint32_t begin = board_ticks();
    ht_encode(input, code);
    count(&encoding, board_ticks() - begin);
}

static void tell(uint16_t class_number, uint32_t distance) {
    char label[HT_LABEL_BYTES];
    ht_label(class_number, label);
    board_text(class_number < HT_CLASSES ? label : "new");
    board_text(" ");
    board_number(distance);
    board_text("\n");
}

static void look(const char *title) {
    board_text(title);
    for (uint16_t i = 0; i < IMAGES; i++) {
        uint8_t code[HT_CODE_BYTES];
        see(images[i], code);
        uint32_t begin = board_ticks();
        ht_match match = ht_nearest(code);
        count(&nearest, board_ticks() - begin);
        begin = board_ticks();
        uint16_t class_number = ht_classify(code, learned, 1);
        count(&classifying, board_ticks() - begin);
        tell(class_number, match.distance);
    }
}

static void report(const char *what, const cost *of) {
    board_text(what);
    board_number(of->calls);
    board_text(" ");
    board_number(of->sum);
    board_text(" ");
    board_number(of->most);
    board_text("\n");
}

int main(void) {
    board_begin();
    look("images\n");
#if LESSONS
    for (uint16_t i = 0; i < LESSONS; i++) {
        uint8_t code[HT_CODE_BYTES];
        see(lessons[i], code);
        uint32_t begin = board_ticks();
        ht_learn(learned, code);
        count(&learning, board_ticks() - begin);
    }
    look("images\n");
#endif
    board_text("costs\n");
    report("encode ", &encoding);
    report("nearest ", &nearest);
    report("classify ", &classifying);
    report("learn ", &learning);
    board_text("stack ");
    board_number(board_stack());
    board_text("\n");
    board_end();
    return 0;
}
