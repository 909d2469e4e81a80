package io.verbena.port;

import io.verbena.base.Slab;
import java.io.IOException;

/**
 * A network device that carries IP packets, or Ethernet frames. Each begins with a virtio-net header in both directions.
 *
 * <pre>
 *   | {@link io.verbena.wire.ip.VirtioNetHeader} | {@link io.verbena.wire.ip.EthernetHeader} if {@link #ethernet} | IP packet |
 * </pre>
 *
 * <p>Nothing blocks. One thread at a time uses a port.
 */
public interface LinkPort {

    /** Largest frame with its headers. */
    int MOST_BYTES = 10 + 14 + 65_535;

    /** For messages, such as {@code verbena0}. */
    String name();

    /** Whether it carries Ethernet frames; otherwise it carries IP packets. */
    boolean ethernet();

    /** Size of the largest IP packet that is not split. */
    int mtu();

    /**
     * Whether the device completes checksums and splits large segments; frames of up to 64 KiB may then arrive as well.
     * Otherwise each frame is complete, and at most as large as the MTU.
     */
    boolean offloads();

    /** Bytes of arrived frames that are kept for this side; further frames are lost. */
    default int receiveBufferBytes() {
        return Integer.MAX_VALUE;
    }

    /**
     * Receives a frame of at most {@link #MOST_BYTES}.
     *
     * @return its length, or 0 if none has arrived
     * @throws IOException if the device is gone
     */
    int receive(Slab slab, int offset) throws IOException;

    /**
     * Sends a frame.
     *
     * @return false if the device accepts none now; the caller then asks for {@link #wantWritable}
     * @throws IOException if the device is gone
     */
    boolean send(Slab slab, int offset, int bytes) throws IOException;

    /** Whether {@link #send(Slab, int, int, FrameData)} takes data from where they are. */
    default boolean gathers() {
        return false;
    }

    /**
     * Sends a frame whose last bytes are in other memory, if the device {@link #gathers}.
     *
     * @param bytes of the frame before those data
     * @return false as {@link #send(Slab, int, int)} does
     * @throws IOException if the device is gone
     */
    default boolean send(Slab slab, int offset, int bytes, FrameData data) throws IOException {
        throw new UnsupportedOperationException(name() + " sends frames from one place only");
    }

    /** Whether to report when a frame can be sent again. */
    void wantWritable(boolean wanted);

    /** Ends the use of the device. */
    void close();
}
