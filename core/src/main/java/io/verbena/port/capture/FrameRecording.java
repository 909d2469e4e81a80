package io.verbena.port.capture;

import io.verbena.base.Slab;
import io.verbena.port.LinkPort;
import io.verbena.wire.PcapngWriter;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.LongSupplier;

/**
 * The frames of one link in a capture. Each record is a frame with its virtio-net header, which says whether the checksum of TCP is still to
 * be computed; the writer computes it, as the device does.
 */
final class FrameRecording implements Capture.Recorded {

    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final CaptureRing ring;
    private final LongSupplier wallClockNs;
    private final CaptureRing.Direction direction;
    private final PcapngWriter writer;
    private final int linkBytes;
    private final byte[] frame = new byte[LinkPort.MOST_BYTES];
    private final MemorySegment memoryOfFrame = MemorySegment.ofArray(frame);
    private final VirtioNetHeader virtio = new VirtioNetHeader();
    private volatile boolean ended;

    FrameRecording(CaptureRing ring, LongSupplier wallClockNs, int number, PcapngWriter writer, boolean ethernet) {
        this.ring = ring;
        this.wallClockNs = wallClockNs;
        this.direction = new CaptureRing.Direction(number, (byte) 0);
        this.writer = writer;
        this.linkBytes = VirtioNetHeader.LENGTH + (ethernet ? EthernetHeader.LENGTH : 0);
    }

    /** A frame that the link has accepted or delivered. */
    void frame(Slab slab, int offset, int bytes) {
        if (ended || bytes < VirtioNetHeader.LENGTH) {
            return;
        }
        synchronized (ring) {
            int fixed = Math.min(linkBytes, bytes);
            if (ring.begin(direction, CaptureRing.DATA, fixed, bytes, wallClockNs.getAsLong())) {
                ring.put(slab.range(offset, offset + bytes), offset, bytes);
                ring.end();
            }
        }
    }

    void end() {
        ended = true;
    }

    @Override
    public boolean ended() {
        return ended;
    }

    @Override
    public void write(CaptureRing.Record record, MemorySegment memory, long offset) throws IOException {
        int captured = record.captured;
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, frame, 0, captured);
        if (captured == record.length) {
            complete(captured);
        }
        int head = VirtioNetHeader.LENGTH;
        writer.packet(record.timeNs, frame, head, captured - head, record.length - head, record.missingRecords);
    }

    /** Computes the checksum that the device would compute. */
    private void complete(int bytes) {
        virtio.wrap(memoryOfFrame, 0);
        int start = VirtioNetHeader.LENGTH + virtio.checksumStart();
        int at = start + virtio.checksumOffset();
        if ((virtio.flags() & VirtioNetHeader.NEEDS_CHECKSUM) != 0 && at + 2 <= bytes) {
            int sum = InternetChecksum.of(InternetChecksum.sum(memoryOfFrame, start, bytes - start));
            memoryOfFrame.set(U16, at, (short) sum);
        }
    }
}
