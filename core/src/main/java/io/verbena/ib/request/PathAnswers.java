package io.verbena.ib.request;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.ib.packet.Psn;
import io.verbena.ib.paths.Spray;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PathEcho;
import io.verbena.wire.ib.Syndrome;
import java.lang.foreign.MemorySegment;

/** Reads acknowledgements of a connection with several paths. */
final class PathAnswers {

    /** Longest bit map. */
    static final int MOST_MAP_BYTES = 128;

    private final Spray spray;
    private final PathEcho echo = new PathEcho();

    PathAnswers(Spray spray) {
        this.spray = spray;
    }

    Spray spray() {
        return spray;
    }

    /**
     * Whether an acknowledgement is well-formed, and reports no packet that was never sent.
     *
     * @param endPsn the first PSN that has not been sent
     */
    boolean valid(IbPacket packet, MemorySegment segment, int endPsn) {
        int mapBytes = packet.payloadBytes() - PathEcho.LENGTH;
        int sent = Psn.distance(endPsn, packet.bth().psn()) - 2;
        if (mapBytes < 0
                || mapBytes > MOST_MAP_BYTES
                || (mapBytes & 3) != 0
                || sent < -1
                || Syndrome.kind(packet.aeth().syndrome()) != Syndrome.Kind.ACK) {
            return false;
        }
        for (int i = mapBytes - 1; i >= 0; i--) {
            int bits = segment.get(JAVA_BYTE, mapOffset(packet) + i) & 0xff;
            if (bits != 0) {
                return i * Byte.SIZE + Integer.SIZE - 1 - Integer.numberOfLeadingZeros(bits) < sent;
            }
        }
        return true;
    }

    private static long mapOffset(IbPacket packet) {
        return packet.payloadOffset() + PathEcho.LENGTH;
    }

    /** Applies the bit map and the echo of a valid acknowledgement. */
    void apply(IbPacket packet, MemorySegment segment, long nowNs) {
        echo.wrap(segment, packet.payloadOffset());
        if ((echo.flags() & PathEcho.MARKED) != 0) {
            spray.onMark(echo.entropy());
        }
        spray.executed(Psn.plus(packet.bth().psn(), 1), nowNs);
        int mapBytes = packet.payloadBytes() - PathEcho.LENGTH;
        for (int i = 0; i < mapBytes; i++) {
            int bits = segment.get(JAVA_BYTE, mapOffset(packet) + i) & 0xff;
            while (bits != 0) {
                int bit = Integer.numberOfTrailingZeros(bits);
                spray.received(Psn.plus(packet.bth().psn(), i * Byte.SIZE + bit + 2), nowNs);
                bits &= bits - 1;
            }
        }
        if ((echo.flags() & PathEcho.DUPLICATE) != 0) {
            spray.onDuplicate();
        }
        if ((echo.flags() & PathEcho.TRIMMED) != 0) {
            spray.onTrim(echo.clock(), nowNs);
        } else {
            spray.onEcho(echo.entropy(), echo.clock(), nowNs);
        }
    }
}
