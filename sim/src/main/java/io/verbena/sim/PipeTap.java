package io.verbena.sim;

import io.verbena.wire.FpduHeader;
import io.verbena.wire.FpduPrinter;
import io.verbena.wire.Marker;
import io.verbena.wire.MpaStartFrame;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads along what one end writes, and logs it frame by frame: start-up frames, then FPDUs. Does nothing without a log. */
final class PipeTap {

    private final Run run;
    private final String name;
    private final boolean logging;
    private final MpaStartFrame start = new MpaStartFrame();
    private final FpduHeader header = new FpduHeader();
    private final FpduPrinter printer = new FpduPrinter();

    private @Nullable PipeTap other;
    private byte[] bytes = new byte[0];
    private boolean started;
    private boolean markersForUs;
    private boolean lost;
    private long position;

    PipeTap(Run run, String name) {
        this.run = run;
        this.name = name;
        logging = run.logging();
    }

    String name() {
        return name;
    }

    /** Sets the other direction: its start-up frame determines whether this one contains markers. */
    void other(PipeTap tap) {
        other = tap;
    }

    private boolean markers() {
        PipeTap peer = other;
        return peer != null && peer.markersForUs;
    }

    void onBytes(byte[] written) {
        if (!logging) {
            return;
        }
        if (lost) {
            say(written.length + " bytes");
            return;
        }
        int old = bytes.length;
        bytes = Arrays.copyOf(bytes, old + written.length);
        System.arraycopy(written, 0, bytes, old, written.length);
        while (!lost && takeFrame()) {}
    }

    void onEnd() {
        if (logging) {
            say(bytes.length > 0 ? "FIN in the middle of a frame, after " + bytes.length + " bytes of it" : "FIN");
        }
    }

    private boolean takeFrame() {
        return started ? takeFpdu() : takeStartFrame();
    }

    private boolean takeStartFrame() {
        MemorySegment segment = MemorySegment.ofArray(bytes);
        for (MpaStartFrame.Kind kind :
                new MpaStartFrame.Kind[] {MpaStartFrame.Kind.REQUEST, MpaStartFrame.Kind.REPLY}) {
            switch (MpaStartFrame.check(segment, 0, bytes.length, kind)) {
                case OK -> {
                    start.wrap(segment, 0);
                    say(start.describe(new StringBuilder()).toString());
                    markersForUs = start.m();
                    started = true;
                    drop(start.frameLength());
                    return true;
                }
                case INCOMPLETE -> {
                    return false;
                }
                default -> {}
            }
        }
        lost = true;
        say(bytes.length + " bytes that are no start-up frame");
        return false;
    }

    private boolean takeFpdu() {
        MemorySegment segment = MemorySegment.ofArray(bytes);
        boolean markers = markers();
        int lead = markers && Marker.isAt(position) ? Marker.LENGTH : 0;
        if (!FpduHeader.fits(bytes.length - lead)) {
            return false;
        }
        int ulpduLength = header.wrap(segment, lead).ulpduLength();
        int length = markers ? Marker.fpduWireLength(position, ulpduLength) : FpduHeader.fpduLength(ulpduLength);
        if (bytes.length < length) {
            return false;
        }
        byte[] plain = markers ? withoutMarkers(length) : Arrays.copyOf(bytes, length);
        say(printer.describe(MemorySegment.ofArray(plain), 0, plain.length, new StringBuilder())
                .toString());
        position += length;
        drop(length);
        return true;
    }

    private byte[] withoutMarkers(int length) {
        byte[] plain = new byte[length];
        int to = 0;
        for (int i = 0; i < length; ) {
            if (Marker.isAt(position + i)) {
                i += Marker.LENGTH;
            } else {
                plain[to++] = bytes[i++];
            }
        }
        return Arrays.copyOf(plain, to);
    }

    private void drop(int count) {
        bytes = Arrays.copyOfRange(bytes, count, bytes.length);
    }

    private void say(String line) {
        run.log(() -> name + " " + line);
    }
}
