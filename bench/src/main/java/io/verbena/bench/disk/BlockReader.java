package io.verbena.bench.disk;

import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskClient;
import io.verbena.storage.client.DiskMemory;
import io.verbena.storage.client.DiskOperation;
import io.verbena.storage.client.DiskOptions;
import io.verbena.storage.client.KeyUse;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;

/** Reads blocks at random places, with a constant number of reads in flight. */
interface BlockReader extends AutoCloseable {
    int DEPTH = 32;

    /** Reads {@code count} times. Returns the time that it took. */
    long read(int count, int lengthBytes) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    static BlockReader open(Contestant contestant, int port, long fileBytes, KeyUse keys) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return contestant == Contestant.NIO
                ? new NioReader(address, fileBytes)
                : new DiskReader(contestant, address, keys);
    }

    /** One connection with the channels of the JDK. */
    final class NioReader implements BlockReader {
        private final SocketChannel channel;
        private final long fileBytes;
        private final SplittableRandom random = new SplittableRandom(1);
        private final ByteBuffer out = ByteBuffer.allocateDirect(NioBlockServer.HEADER_BYTES * DEPTH);
        private final ByteBuffer in = ByteBuffer.allocateDirect(NioBlockServer.BUFFER_BYTES);
        private final ByteBuffer blocks = ByteBuffer.allocateDirect(DEPTH * (64 << 10));

        NioReader(InetSocketAddress address, long fileBytes) throws IOException {
            this.fileBytes = fileBytes;
            channel = SocketChannel.open(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }

        private void request(int number, int lengthBytes) {
            long offset = random.nextLong(fileBytes / lengthBytes) * lengthBytes;
            out.putInt(number).putInt(lengthBytes).putLong(offset);
        }

        private void flush() throws IOException {
            out.flip();
            while (out.hasRemaining()) {
                channel.write(out);
            }
            out.clear();
        }

        @Override
        public long read(int count, int lengthBytes) throws IOException {
            long startNs = System.nanoTime();
            int sent = 0;
            while (sent < Math.min(DEPTH, count)) {
                request(sent++, lengthBytes);
            }
            flush();
            int answer = NioBlockServer.HEADER_BYTES + lengthBytes;
            int received = 0;
            while (received < count) {
                if (channel.read(in) < 0) {
                    throw new EOFException("the server has ended");
                }
                in.flip();
                while (in.remaining() >= answer) {
                    int number = in.getInt();
                    in.position(in.position() + NioBlockServer.HEADER_BYTES - Integer.BYTES);
                    blocks.put(number * lengthBytes, in, in.position(), lengthBytes);
                    in.position(in.position() + lengthBytes);
                    received++;
                    if (sent < count) {
                        sent++;
                        request(number, lengthBytes);
                    }
                }
                in.compact();
                flush();
            }
            return System.nanoTime() - startNs;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** A disk. */
    final class DiskReader implements BlockReader {
        private final DiskClient client;
        private final Disk disk;
        private final DiskMemory memory;
        private final SplittableRandom random = new SplittableRandom(1);
        private final DiskOperation[] operations = new DiskOperation[DEPTH];
        private int left;
        private int lengthBytes;
        private CountDownLatch ended = new CountDownLatch(0);

        DiskReader(Contestant contestant, InetSocketAddress address, KeyUse keys) throws IOException {
            DiskOptions options = DiskOptions.defaults()
                    .withProvider(contestant.provider())
                    .withDepth(DEPTH)
                    .withKeys(keys);
            client = DiskClient.connect(address, DiskSide.NAME, options);
            disk = client.disks().getFirst();
            memory = disk.allocate(DEPTH * (64L << 10));
            for (int i = 0; i < DEPTH; i++) {
                int number = i;
                operations[i] = disk.operation(operation -> next(operation, number));
            }
        }

        private void begin(DiskOperation operation, int number) {
            int blocks = lengthBytes / disk.blockBytes();
            long first = random.nextLong(disk.blocks() / blocks) * blocks;
            operation.read(first, memory, number * (64L << 10), lengthBytes).submit();
        }

        private void next(DiskOperation operation, int number) {
            if (!operation.succeeded()) {
                throw new IllegalStateException(operation.failure());
            }
            if (left-- > 0) {
                begin(operation, number);
            } else {
                ended.countDown();
            }
        }

        @Override
        public long read(int count, int bytes) throws InterruptedException {
            long startNs = System.nanoTime();
            lengthBytes = bytes;
            left = count - DEPTH;
            ended = new CountDownLatch(DEPTH);
            for (int i = 0; i < DEPTH; i++) {
                begin(operations[i], i);
            }
            ended.await();
            return System.nanoTime() - startNs;
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
