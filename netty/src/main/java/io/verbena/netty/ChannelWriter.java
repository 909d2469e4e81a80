package io.verbena.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/** Moves what the program has flushed into the send buffer of the socket. Of the event loop. */
final class ChannelWriter implements WritableByteChannel {

    /** The limits of one gathering write. The socket copies, so that larger ones are not faster. */
    private static final int MOST_BUFFERS = 1024;

    private static final long MOST_BYTES = 1 << 20;

    /** How a flush ended. */
    enum Outcome {
        /** Everything was written. */
        DONE,
        /** The socket has no space. */
        NO_SPACE,
        /** There is perhaps space, but the flush has taken its share of the time of the loop. */
        MORE
    }

    private final VerbenaSocketChannel channel;

    /** The region that is being written. */
    private @Nullable RegionSource last;

    ChannelWriter(VerbenaSocketChannel channel) {
        this.channel = channel;
    }

    /** Writes at most {@code spins} times. Listeners of what was written may add more meanwhile. */
    Outcome write(ChannelOutboundBuffer in, int spins) throws IOException {
        for (int i = 0; i < spins; i++) {
            Object first = in.current();
            if (first == null) {
                return Outcome.DONE;
            }
            boolean space = first instanceof ByteBuf ? writeBuffers(in) : writeRegion(in, (FileRegion) first);
            if (!space) {
                return Outcome.NO_SPACE;
            }
        }
        return in.isEmpty() ? Outcome.DONE : Outcome.MORE;
    }

    /** Writes buffers up to the next file. Returns whether the socket has taken all of them. */
    private boolean writeBuffers(ChannelOutboundBuffer in) throws IOException {
        StreamSocket socket = channel.socket();
        ByteBuffer[] buffers = in.nioBuffers(MOST_BUFFERS, MOST_BYTES);
        long wanted = in.nioBufferSize();
        long written = socket.write(buffers, 0, in.nioBufferCount());
        in.removeBytes(written); // also empty ones
        return written == wanted;
    }

    /** Writes from a file. Returns whether the socket has taken something, or nothing was left. */
    private boolean writeRegion(ChannelOutboundBuffer in, FileRegion region) throws IOException {
        if (region.transferred() >= region.count()) {
            remove(in);
            return true;
        }
        long written = transfer(region);
        if (written <= 0) {
            return false;
        }
        in.progress(written);
        if (region.transferred() >= region.count()) {
            remove(in);
        }
        return true;
    }

    /** A region that has fewer bytes than it states throws an exception itself. */
    private long transfer(FileRegion region) throws IOException {
        RegionSource source = source(region);
        if (source == null) {
            return region.transferTo(this, region.transferred());
        }
        source.begin();
        int written = channel.socket().writeFrom(source, (int) Math.min(source.left(), MOST_BYTES));
        if (written > 0) {
            source.onTransferred(written);
            return written;
        }
        return source.used() ? region.transferTo(this, region.transferred()) : 0;
    }

    private @Nullable RegionSource source(FileRegion region) throws IOException {
        RegionSource known = last;
        if (known == null || !known.isOf(region)) {
            known = RegionSource.of(region).orElse(null);
            last = known;
        }
        return known;
    }

    private void remove(ChannelOutboundBuffer in) {
        last = null;
        in.remove();
    }

    /** For regions of files that are not known. */
    @Override
    public int write(ByteBuffer source) throws IOException {
        return channel.socket().write(source);
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        channel.close();
    }
}
