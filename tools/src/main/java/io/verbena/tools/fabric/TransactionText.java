package io.verbena.tools.fabric;

import io.verbena.fabric.link.FlitHeader;
import io.verbena.fabric.link.FlitSent;
import io.verbena.fabric.link.FlitType;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.tools.fabric.Transaction.Flit;
import io.verbena.tools.fabric.Transaction.Frame;
import io.verbena.tools.fabric.Transaction.Passage;
import io.verbena.tools.fabric.Transaction.Piece;
import io.verbena.tools.fabric.Transaction.Purpose;
import io.verbena.wire.ib.Aeth;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.Lrh;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A transaction in words. */
public final class TransactionText {

    private TransactionText() {}

    /** All lines. */
    public static List<String> of(Transaction transaction) {
        List<String> lines = new ArrayList<>();
        int length = transaction.setting().length();
        lines.add("The fabric: " + String.join(" --- ", Transaction.NODES));
        lines.add("");
        layers(transaction.setting().receiver(), lines);
        lines.add("");
        lines.add("The work request: process A posts a Send of " + length + " bytes with a gather list:");
        for (int i = 0; i < transaction.setting().parts().size(); i++) {
            lines.add("  part " + i + "   " + transaction.setting().parts().get(i) + " bytes");
        }
        lines.add("");
        lines.add("SANIC A divides the message into frames, and each link divides frames into flits:");
        for (Frame frame : transaction.frames()) {
            lines.add("  frame " + frame.number() + "  " + frame.opcode() + ", " + frame.bytes() + " bytes: "
                    + contents(frame));
            lines.add("           " + flits(frame));
        }
        lines.add("");
        lines.add("Frame by frame:");
        for (Passage passage : transaction.passages()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "  %8.1f ns to %8.1f ns   %s",
                    passage.sentNs(),
                    passage.arrivedNs(),
                    passage.acknowledgement()
                            ? "SANIC A <-- SANIC B   acknowledgement of frame " + passage.frame()
                            : "SANIC A --> SANIC B   frame " + passage.frame()));
        }
        lines.add(String.format(
                Locale.ROOT, "  %8.1f ns               process A polls the completion", transaction.completedNs()));
        lines.add("");
        lines.add("Flit by flit (begin of transmission to end of arrival):");
        transaction.flits().forEach(flit -> lines.add(line(flit)));
        return lines;
    }

    /** The layers of each node, and what they give to the layer below. */
    private static void layers(AdapterKind receiver, List<String> lines) {
        String upper = receiver.softwareNs(0) > 0 ? "software" : "hardware";
        lines.add("The layers, and what executes them:");
        layer(lines, "", "SANIC A", "switches", "SANIC B", "passes on");
        layer(lines, "upper layer protocol", "process A", "", "process B", "messages, by verbs");
        layer(lines, "transport", "hardware", "", upper, "frames with transport headers");
        layer(lines, "network", "hardware", "hardware", upper, "frames with network headers");
        layer(lines, "link", "hardware", "hardware", "hardware", "flits");
        layer(lines, "physical", "hardware", "hardware", "hardware", "bits");
        if (receiver.softwareNs(0) > 0) {
            lines.add("  software of SANIC B needs " + receiver.softwareNs(0) + " ns per frame, and 1 ns per "
                    + receiver.softwareBytesPerNs() + " bytes");
        }
    }

    private static void layer(List<String> lines, String name, String a, String between, String b, String unit) {
        lines.add(String.format(Locale.ROOT, "  %-22s%-11s%-11s%-11s%s", name, a, between, b, unit));
    }

    private static String contents(Frame frame) {
        String pieces = frame.pieces().stream().map(TransactionText::piece).collect(Collectors.joining(", "));
        return "LRH " + Lrh.LENGTH + ", BTH " + Bth.LENGTH + ", " + pieces + ", ICRC and VCRC " + Transaction.TRAILER;
    }

    private static String piece(Piece piece) {
        return "part " + piece.part() + " [" + piece.offset() + ".." + (piece.offset() + piece.length()) + ")";
    }

    private static String flits(Frame frame) {
        int last = frame.bytes() - (frame.flits() - 1) * FlitHeader.PAYLOAD;
        String numbers = frame.flits() == 1
                ? "flit " + frame.firstFlit()
                : "flits " + frame.firstFlit() + " to " + (frame.firstFlit() + frame.flits() - 1);
        return numbers + ": up to " + FlitHeader.PAYLOAD + " bytes each, " + last
                + " in the last one; every flit has a header of " + FlitHeader.LENGTH + " bytes";
    }

    private static String line(Flit flit) {
        boolean right = flit.hop().to() > flit.hop().from();
        String left =
                Transaction.NODES.get(Math.min(flit.hop().from(), flit.hop().to()));
        String other =
                Transaction.NODES.get(Math.max(flit.hop().from(), flit.hop().to()));
        return String.format(
                        Locale.ROOT,
                        "  %8.1f ns to %8.1f ns   %-8s %s %-8s   %s",
                        flit.hop().sentNs(),
                        flit.hop().arrivedNs(),
                        left,
                        right ? "-->" : "<--",
                        other,
                        words(flit))
                .stripTrailing();
    }

    /** What a flit is, in a few words. */
    static String words(Flit flit) {
        FlitSent sent = flit.sent();
        List<String> words = new ArrayList<>();
        if (flit.purpose() == Purpose.REQUEST) {
            words.add("flit " + flit.number() + " of frame " + flit.frame());
        } else if (flit.purpose() == Purpose.ACKNOWLEDGEMENT) {
            words.add("acknowledgement of frame " + flit.frame() + ", "
                    + (Lrh.LENGTH + Bth.LENGTH + Aeth.LENGTH + Transaction.TRAILER) + " bytes in one flit");
        }
        if (sent.type() == FlitType.ACK || flit.purpose() == Purpose.LINK && sent.type() == FlitType.CREDIT) {
            words.add("link: flits before number " + sent.numbers().acknowledgement() + " have arrived");
        }
        if (sent.credits() > 0) {
            words.add(sent.credits() + (sent.credits() == 1 ? " credit" : " credits") + " of VL" + sent.creditLane());
        }
        if (sent.numbers().again()) {
            words.add("asks for retransmission");
        }
        if (sent.damaged()) {
            words.add("DAMAGED");
        }
        return String.join("; ", words);
    }
}
