package io.verbena.host.link;

import io.verbena.base.Slab;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * An Ethernet link over a Unix socket, with the framing of QEMU ({@code -netdev stream}) and passt. It needs no privilege and no native
 * access.
 *
 * <pre>
 *   | length 4, big endian | Ethernet frame | length | frame | ...
 * </pre>
 *
 * <p>The engine reads and writes; {@link UnixPeers} makes connections and reports readiness. A client ends with its connection. A server
 * waits for the next peer, and loses frames meanwhile.
 */
final class UnixLink implements LinkPort {

    private static final int MTU = 1500;
    private static final int LENGTH_BYTES = 4;
    private static final int BUFFER_BYTES = 256 * 1024;
    private static final int MOST_FRAME = MOST_BYTES - VirtioNetHeader.LENGTH;

    private final UnixPeers peers;
    private final VirtioNetHeader virtio = new VirtioNetHeader();
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
    private final ByteBuffer out =
            ByteBuffer.allocateDirect(LENGTH_BYTES + MOST_FRAME).limit(0);
    private final MemorySegment inMemory = MemorySegment.ofBuffer(in.duplicate().clear());
    private final MemorySegment outMemory =
            MemorySegment.ofBuffer(out.duplicate().clear());
    private @Nullable SocketChannel peer;
    private @Nullable LinkEvents events;

    UnixLink(UnixPeers peers) {
        this.peers = peers;
    }

    void attach(LinkEvents listener) {
        events = listener;
    }

    /** Reports what has happened since the last call. In the thread of the engine, before each turn. */
    void serve() {
        LinkEvents listener = events;
        if (listener == null) {
            return;
        }
        if (peers.takeReadable()) {
            listener.onReadable();
        }
        if (peers.takeWritable()) {
            flush();
            listener.onWritable();
        }
    }

    @Override
    public String name() {
        return peers.path();
    }

    @Override
    public boolean ethernet() {
        return true;
    }

    @Override
    public int mtu() {
        return MTU;
    }

    @Override
    public boolean offloads() {
        return false;
    }

    /** The peer that is connected now; what is left of another one is discarded. */
    @SuppressWarnings("ReferenceEquality") // connections have no other equality
    private @Nullable SocketChannel current() {
        SocketChannel now = peers.peer();
        if (now != peer) {
            peer = now;
            in.clear().limit(0);
            out.clear().limit(0);
        }
        return now;
    }

    @Override
    public int receive(Slab slab, int offset) throws IOException {
        SocketChannel from = current();
        if (from == null) {
            peers.checkAlive();
            return 0;
        }
        try {
            int length = frame(from);
            if (length == 0) {
                peers.wantReadable();
                return 0;
            }
            virtio.wrap(slab.segment(), offset).complete();
            long to = (long) offset + VirtioNetHeader.LENGTH;
            MemorySegment.copy(inMemory, in.position(), slab.segment(), to, length);
            in.position(in.position() + length);
            return VirtioNetHeader.LENGTH + length;
        } catch (IOException e) {
            peers.ended(from, e);
            peers.checkAlive();
            return 0;
        }
    }

    /** Bytes of the next frame, which begins at the position; 0 if it has not arrived completely. */
    private int frame(SocketChannel from) throws IOException {
        while (true) {
            if (in.remaining() >= LENGTH_BYTES) {
                int length = in.getInt(in.position());
                if (length < EthernetHeader.LENGTH || length > MOST_FRAME) {
                    throw new IOException("the peer sent a frame of " + Integer.toUnsignedLong(length)
                            + " bytes: does it use the framing of QEMU's '-netdev stream'?");
                }
                if (in.remaining() >= LENGTH_BYTES + length) {
                    in.position(in.position() + LENGTH_BYTES);
                    return length;
                }
            }
            in.compact();
            int count = from.read(in);
            in.flip();
            if (count < 0) {
                throw new EOFException("the peer has closed the socket");
            }
            if (count == 0) {
                return 0;
            }
        }
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes) throws IOException {
        SocketChannel to = current();
        if (to == null) {
            peers.checkAlive();
            return true; // lost, as on a link without a peer
        }
        try {
            if (out.hasRemaining() && !written(to)) {
                return false;
            }
            int length = bytes - VirtioNetHeader.LENGTH;
            MemorySegment.copy(slab.segment(), offset + VirtioNetHeader.LENGTH, outMemory, LENGTH_BYTES, length);
            out.clear().limit(LENGTH_BYTES + length).putInt(0, length);
            written(to); // what is left follows before the next frame
        } catch (IOException e) {
            peers.ended(to, e);
            peers.checkAlive();
        }
        return true;
    }

    private boolean written(SocketChannel to) throws IOException {
        to.write(out);
        if (out.hasRemaining()) {
            peers.wantWritable();
        }
        return !out.hasRemaining();
    }

    @Override
    public void wantWritable(boolean wanted) {
        if (wanted) {
            peers.wantWritable();
        }
    }

    /** Sends what is left of the last frame. */
    private void flush() {
        SocketChannel to = current();
        if (to != null && out.hasRemaining()) {
            try {
                written(to);
            } catch (IOException e) {
                peers.ended(to, e);
            }
        }
    }

    @Override
    public void close() {
        peers.close();
    }
}
