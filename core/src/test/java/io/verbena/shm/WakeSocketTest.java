package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.port.ByteStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Wake-ups happen once for each message if both sides sleep, so they must not allocate either. */
class WakeSocketTest {

    private final Socket socket = new Socket();
    private final WakeSocket wakes = new WakeSocket(socket);

    @Test
    void wakeOfThePeer_passesTheAddressOfItsByte() {
        wakes.send();
        assertEquals(1, socket.written);
    }

    @Test
    void wakeByThePeer_isReadWithTheAddressOfTheBuffer() {
        socket.arrived = 3;
        wakes.receive();
        assertEquals(0, socket.arrived);
    }

    /** Counts bytes; the address of a buffer must be passed with it, because a stream that derives it allocates. */
    private static final class Socket implements ByteStream {
        int arrived;
        int written;

        @Override
        public int read(ByteBuffer target) {
            throw new AssertionError("no address");
        }

        @Override
        public int read(ByteBuffer target, long address) {
            assertEquals(MemorySegment.ofBuffer(target).address(), address);
            int count = arrived;
            arrived = 0;
            return count;
        }

        @Override
        public int write(ByteBuffer source) {
            throw new AssertionError("no address");
        }

        @Override
        public int write(ByteBuffer source, long address) {
            assertEquals(MemorySegment.ofBuffer(source).address(), address);
            written += source.remaining();
            return source.remaining();
        }

        @Override
        public void wantWritable(boolean wanted) {}

        @Override
        public void wantReadable(boolean wanted) {}

        @Override
        public void shutdownOutput() {}

        @Override
        public void close(boolean abortive) {}

        @Override
        public SocketAddress localAddress() {
            return new InetSocketAddress(0);
        }

        @Override
        public SocketAddress remoteAddress() {
            return new InetSocketAddress(0);
        }
    }
}
