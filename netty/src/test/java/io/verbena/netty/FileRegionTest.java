package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.verbena.sockets.stream.StreamFigures;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of which regions are written. */
@Timeout(60)
class FileRegionTest {

    private static final int FILE_BYTES = 4 << 20;
    private static final int SKIPPED = 1234;

    /** Of JDK 25: the pieces in which a region writes to a channel that the JDK does not know. */
    private static final int PIECE_BYTES = 8 << 10;

    @TempDir
    private Path folder;

    private final byte[] content = new byte[FILE_BYTES];

    /** Completes with the checksum of the first bytes. */
    private static final class Sum extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Long> result = new CompletableFuture<>();
        private final CRC32 crc = new CRC32();
        private long left;

        Sum(long bytes) {
            left = bytes;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            left -= bytes.readableBytes();
            crc.update(bytes.nioBuffer());
            bytes.release();
            if (left == 0) {
                result.complete(crc.getValue());
            }
        }
    }

    /** A class of a program, which transfers in its own way. */
    private static final class Other extends DefaultFileRegion {
        Other(FileChannel file, long position, long count) {
            super(file, position, count);
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            return super.transferTo(target, position);
        }
    }

    private Path file() throws IOException {
        new Random(1).nextBytes(content);
        return Files.write(folder.resolve("file"), content);
    }

    private long sum(int count) {
        CRC32 crc = new CRC32();
        crc.update(content, SKIPPED, count);
        return crc.getValue();
    }

    private enum Transfer {
        FILE,
        CHANNEL,
        OTHER
    }

    private FileRegion region(Transfer transfer, int count) throws IOException {
        Path file = file();
        return switch (transfer) {
            case FILE -> new DefaultFileRegion(file.toFile(), SKIPPED, count);
            case CHANNEL -> new DefaultFileRegion(FileChannel.open(file), SKIPPED, count);
            case OTHER -> new Other(FileChannel.open(file), SKIPPED, count);
        };
    }

    /** Pieces of 8 KiB would be 511 messages. */
    @ParameterizedTest
    @CsvSource({"auto,FILE", "auto,CHANNEL", "iwarp,CHANNEL", "auto,OTHER"})
    void region_arrivesWhole_inLargeMessages(String provider, Transfer transfer) throws Exception {
        int count = FILE_BYTES - SKIPPED - 77;
        try (Loops loops = new Loops(provider)) {
            Sum sum = new Sum(count);
            Channel server = loops.server(() -> sum).bind().sync().channel();
            VerbenaSocketChannel client = (VerbenaSocketChannel) loops.client(ChannelInboundHandlerAdapter::new)
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            FileRegion region = region(transfer, count);
            ChannelFuture written = client.writeAndFlush(region).sync();
            assertTrue(written.isSuccess());
            assertEquals(count, region.transferred());
            assertEquals(0, region.refCnt());
            assertEquals(sum(count), sum.result.get(30, TimeUnit.SECONDS));
            StreamFigures.Direction sent = client.figures().orElseThrow().sent();
            assertEquals(count, sent.bytes());
            if (transfer != Transfer.OTHER) {
                int pieces = count / PIECE_BYTES;
                assertTrue(sent.messages() < pieces / 2, () -> sent.messages() + " messages for " + pieces + " pieces");
                assertTrue(sent.copiedBytes() <= count, "at most the engine copies");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"auto", "iwarp"})
    void fileShorterThanTheRegion_failsTheWrite(String provider) throws Exception {
        try (Loops loops = new Loops(provider)) {
            Channel server = loops.server(ChannelInboundHandlerAdapter::new)
                    .bind()
                    .sync()
                    .channel();
            Channel client = loops.client(ChannelInboundHandlerAdapter::new)
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            ChannelFuture written =
                    client.writeAndFlush(region(Transfer.CHANNEL, FILE_BYTES)).await();
            assertInstanceOf(IOException.class, written.cause());
        }
    }
}
