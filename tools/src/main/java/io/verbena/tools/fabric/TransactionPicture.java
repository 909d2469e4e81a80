package io.verbena.tools.fabric;

import io.verbena.fabric.link.FlitHeader;
import io.verbena.tools.fabric.Transaction.Flit;
import io.verbena.tools.fabric.Transaction.Frame;
import io.verbena.tools.fabric.Transaction.Passage;
import io.verbena.tools.fabric.Transaction.Piece;
import io.verbena.tools.fabric.Transaction.Purpose;
import io.verbena.tools.picture.Svg;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.Lrh;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;

/** Draws a transaction: how the message becomes frames and flits, then all flits on all links, with time running downwards. */
public final class TransactionPicture {

    private static final double WIDTH = 1000;
    private static final double LEFT = 40;
    private static final double PARTS = 92;
    private static final double FRAMES = 168;
    private static final double FLITS = 210;
    private static final double BOX = 26;
    private static final double NODES = 322;
    private static final double FIRST_LINE = 160;
    private static final double BETWEEN_LINES = 227;
    private static final double PIXELS_PER_NS = 2;
    private static final double LONGEST_GAP = 13;
    private static final int NUMBERED_FRAMES = 24;

    private final Transaction transaction;
    private final TreeMap<Double, Double> heights = new TreeMap<>();
    private final Svg svg;
    private final double bytes;

    private TransactionPicture(Transaction transaction) {
        this.transaction = transaction;
        double y = NODES + 34;
        TreeSet<Double> times = new TreeSet<>();
        transaction.flits().forEach(flit -> {
            times.add(flit.hop().sentNs());
            times.add(flit.hop().arrivedNs());
        });
        double before = times.first();
        for (double time : times) {
            // Times at which nothing begins or ends are drawn shorter.
            y += Math.min(LONGEST_GAP, (time - before) * PIXELS_PER_NS);
            heights.put(time, y);
            before = time;
        }
        List<Frame> frames = transaction.frames();
        bytes = (WIDTH - 2 * LEFT - 24.0 * (frames.size() - 1))
                / frames.stream().mapToInt(Frame::bytes).sum();
        svg = new Svg(WIDTH, y + 40, "A message as frames and flits");
        svg.style(".flit{fill:none;stroke-width:1.8}.own{fill:none;stroke-width:1;stroke-dasharray:3 3}"
                + ".box{fill:none;stroke-width:1.4}.join{stroke-width:.8;stroke-dasharray:2 3}");
    }

    /** The picture as SVG. */
    public static String draw(Transaction transaction) {
        TransactionPicture picture = new TransactionPicture(transaction);
        picture.message();
        picture.lines();
        transaction.flits().forEach(picture::flit);
        picture.passages();
        return picture.svg.finish();
    }

    private static String colour(Purpose purpose, int frame) {
        return switch (purpose) {
            case REQUEST -> frame % 2 == 0 ? "s0" : "s1";
            case ACKNOWLEDGEMENT -> "s2";
            case LINK -> "s7";
        };
    }

    private void box(String colour, double x, double y, double width, String words, String explanation) {
        svg.explained(
                explanation, "rect", "class", "box " + colour, "x", x, "y", y, "width", width, "height", BOX, "rx", 3);
        if (words.length() * 6.2 < width) {
            svg.text("small", "middle", x + width / 2, y + 17, words);
        }
    }

    private void message() {
        Transaction.Setting setting = transaction.setting();
        svg.text("title", "start", LEFT, 36, "A Send of " + setting.length() + " bytes from SANIC A to SANIC B");
        svg.text(
                "label",
                "start",
                LEFT,
                60,
                "The gather list of the work request, the frames that SANIC A makes of it, and their flits");
        double scale = (WIDTH - 2 * LEFT - 12.0 * (setting.parts().size() - 1)) / setting.length();
        double[] partAt = new double[setting.parts().size()];
        double x = LEFT;
        for (int i = 0; i < partAt.length; i++) {
            partAt[i] = x;
            double width = setting.parts().get(i) * scale;
            box(
                    "s3",
                    x,
                    PARTS,
                    width,
                    "part " + i,
                    "part " + i + ": " + setting.parts().get(i) + " bytes");
            x += width + 12;
        }
        x = LEFT;
        for (Frame frame : transaction.frames()) {
            frame(frame, x, partAt, scale);
            x += frame.bytes() * bytes + 24;
        }
    }

    private void frame(Frame frame, double from, double[] partAt, double scale) {
        String colour = colour(Purpose.REQUEST, frame.number());
        double x = from;
        double header = (Lrh.LENGTH + Bth.LENGTH) * bytes;
        box(
                colour,
                x,
                FRAMES,
                header,
                "head",
                "network header (LRH) and transport header (BTH) of frame " + frame.number());
        x += header;
        for (Piece piece : frame.pieces()) {
            double width = piece.length() * bytes;
            String words = "part " + piece.part();
            box(colour, x, FRAMES, width, words, words + ", " + piece.length() + " bytes from " + piece.offset());
            double partX = partAt[piece.part()] + piece.offset() * scale;
            join(partX, x);
            join(partX + piece.length() * scale, x + width);
            x += width;
        }
        box(colour, x, FRAMES, Transaction.TRAILER * bytes, "", "ICRC and VCRC");
        for (int i = 0; i < frame.flits(); i++) {
            int length = Math.min(FlitHeader.PAYLOAD, frame.bytes() - i * FlitHeader.PAYLOAD);
            double at = from + i * FlitHeader.PAYLOAD * bytes;
            int number = frame.firstFlit() + i;
            box(
                    colour,
                    at + 1.5,
                    FLITS,
                    length * bytes - 3,
                    "flit " + number,
                    "flit " + number + ": " + length + " bytes and a header of " + FlitHeader.LENGTH);
        }
        svg.text(
                "small",
                "start",
                from,
                FLITS + BOX + 16,
                "frame " + frame.number() + ": " + frame.opcode() + ", " + frame.bytes() + " bytes");
    }

    private void join(double top, double bottom) {
        svg.element("line", "class", "join s3", "x1", top, "y1", PARTS + BOX, "x2", bottom, "y2", FRAMES);
    }

    private static double line(int node) {
        return FIRST_LINE + node * BETWEEN_LINES;
    }

    private double y(double ns) {
        return heights.floorEntry(ns).getValue();
    }

    private void lines() {
        double end = heights.lastEntry().getValue() + 16;
        for (int i = 0; i < Transaction.NODES.size(); i++) {
            svg.text("head", "middle", line(i), NODES, Transaction.NODES.get(i));
            svg.element("line", "class", "axis", "x1", line(i), "y1", NODES + 10, "x2", line(i), "y2", end);
        }
        key(LEFT, "s0", "flit", "flit of a frame");
        key(LEFT + 150, "s2", "flit", "acknowledgement of a frame");
        key(LEFT + 365, "s7", "own", "flit of the link: credits, acknowledgement of flits");
        svg.text("small", "end", WIDTH - LEFT, NODES - 34, "waits are shortened");
    }

    private void key(double x, String colour, String style, String words) {
        svg.element("line", "class", style + " " + colour, "x1", x, "y1", NODES - 38, "x2", x + 22, "y2", NODES - 38);
        svg.text("small", "start", x + 28, NODES - 34, words);
    }

    private void flit(Flit flit) {
        double x1 = line(flit.hop().from());
        double y1 = y(flit.hop().sentNs());
        double x2 = line(flit.hop().to());
        double y2 = y(flit.hop().arrivedNs());
        String style = flit.purpose() == Purpose.LINK ? "own " : "flit ";
        String colour = flit.sent().damaged() ? "s5" : colour(flit.purpose(), flit.frame());
        double back = x2 > x1 ? -7 : 7;
        String d = String.format(
                Locale.ROOT,
                "M %s %s L %s %s l %s -4.5 M %s %s l %s 1.5",
                Svg.number(x1),
                Svg.number(y1),
                Svg.number(x2),
                Svg.number(y2),
                Svg.number(back),
                Svg.number(x2),
                Svg.number(y2),
                Svg.number(back));
        String words = String.format(
                Locale.ROOT,
                "%.1f to %.1f ns: %s",
                flit.hop().sentNs(),
                flit.hop().arrivedNs(),
                TransactionText.words(flit));
        svg.explained(words, "path", "class", style + colour, "d", d);
        if (flit.purpose() == Purpose.REQUEST && transaction.frames().size() <= NUMBERED_FRAMES) {
            double x = x1 + (x2 - x1) * (.12 + .06 * (flit.number() % 8));
            double y = y1 + (y2 - y1) * (.12 + .06 * (flit.number() % 8));
            svg.text(
                    "small",
                    "middle",
                    x,
                    y + 3,
                    flit.sent().damaged() ? flit.number() + " damaged" : "" + flit.number());
        }
    }

    private void passages() {
        svg.text("small", "end", line(0) - 10, y(0) + 4, "Send is posted");
        for (Passage passage : transaction.passages()) {
            String time = String.format(Locale.ROOT, "%.0f ns", passage.arrivedNs());
            double y = y(passage.arrivedNs()) + 4;
            if (passage.acknowledgement()) {
                svg.text("small", "end", line(0) - 10, y, "ACK of frame " + passage.frame() + ", " + time);
            } else {
                svg.text("small", "start", line(3) + 10, y, "frame " + passage.frame() + " arrives, " + time);
            }
        }
        svg.text("head", "end", line(0) - 10, y(transaction.completedNs()) + 22, "completion");
    }
}
