package io.verbena.tools.memory;

import io.verbena.shm.SharedLayout;
import io.verbena.tools.picture.Svg;

/** Draws {@link SharedLayout}: the content of docs/generated/shared-memory-layout.svg. */
public final class SharedLayoutPicture {

    private static final int WIDTH = 860;
    private static final int HEIGHT = 430;
    private static final int LEFT = 30;
    private static final int INNER = WIDTH - 2 * LEFT;
    private static final int BOX = 34;
    private static final int RING_EXAMPLE = 1 << 20;

    private final Svg svg = new Svg(WIDTH, HEIGHT, "The memory of a connection");

    private SharedLayoutPicture() {}

    /** The picture as SVG. */
    public static String draw() {
        SharedLayoutPicture picture = new SharedLayoutPicture();
        picture.memory();
        picture.words();
        picture.window();
        picture.record();
        return picture.svg.finish();
    }

    private void memory() {
        svg.text("title", "start", LEFT, 34, "The memory of a connection");
        svg.text("small", "start", LEFT + 20, 54, "written by the initiator");
        svg.text("small", "start", LEFT + 230, 54, "written by the acceptor");
        svg.element("rect", "class", "f0", "x", LEFT, "y", 45, "width", 14, "height", 10);
        svg.element("rect", "class", "f2", "x", LEFT + 210, "y", 45, "width", 14, "height", 10);
        int words = INNER / 5;
        int ring = (INNER - words) / 2;
        box("s7", LEFT, 72, words, "words");
        box("s0", LEFT + words, 72, ring, "ring of the initiator");
        box("s2", LEFT + words + ring, 72, ring, "ring of the acceptor");
        svg.text("small", "start", LEFT, 122, "0");
        svg.text("small", "start", LEFT + words, 122, text(SharedLayout.rings()));
        svg.text("small", "start", LEFT + words + ring, 122, SharedLayout.rings() + " + size of a ring");
    }

    private void words() {
        svg.text("label", "start", LEFT, 152, "Words, one line of " + SharedLayout.LINE + " bytes each");
        int width = INNER / SharedLayout.words().size();
        int x = LEFT;
        for (SharedLayout.Word word : SharedLayout.words()) {
            box(word.initiator() ? "s0" : "s2", x, 162, width, word.name());
            svg.text("small", "start", x, 212, text(word.offset()));
            x += width;
        }
    }

    private void window() {
        svg.text(
                "label",
                "start",
                LEFT,
                242,
                "A ring of " + text(RING_EXAMPLE) + " bytes: its window doubles while the reader is behind");
        int windows = Integer.numberOfTrailingZeros(RING_EXAMPLE / SharedLayout.FIRST_WINDOW_BYTES);
        for (int i = windows; i >= 0; i--) {
            int width = INNER * (i + 2) / (windows + 2);
            box(i == 0 ? "s1" : "s7", LEFT, 252, width, "");
            svg.text("small", "end", LEFT + width - 6.0, 273, (SharedLayout.FIRST_WINDOW_BYTES >> 10 << i) + " KiB");
        }
    }

    private void record() {
        svg.text(
                "label",
                "start",
                LEFT,
                326,
                "A record, at a multiple of " + SharedLayout.LINE
                        + " bytes; the release store of its header publishes it");
        int part = INNER / 8;
        box("s1", LEFT, 336, part, "length");
        box("s1", LEFT + part, 336, part, "number");
        box("s7", LEFT + 2 * part, 336, 5 * part, "bytes of the stream, or what the writer lends");
        box("s7", LEFT + 7 * part, 336, INNER - 7 * part, "padding");
        svg.text("small", "start", LEFT, 386, "0");
        svg.text("small", "start", LEFT + part, 386, "4");
        svg.text("small", "start", LEFT + 2 * part, 386, text(SharedLayout.HEADER));
        svg.text(
                "small",
                "start",
                LEFT,
                410,
                "length: bit 31, the payload is lent; bit 30, the window doubles. number: position / "
                        + SharedLayout.LINE + " + 1");
    }

    private void box(String series, int x, int y, int width, String words) {
        svg.element(
                "rect",
                "class",
                series,
                "fill",
                "none",
                "stroke-width",
                1.6,
                "x",
                x,
                "y",
                y,
                "width",
                width - 3,
                "height",
                BOX);
        if (!words.isEmpty()) {
            svg.text("head", "middle", x + width / 2.0, y + 22.0, words);
        }
    }

    private static String text(int number) {
        return Integer.toString(number);
    }
}
