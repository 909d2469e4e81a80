package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.Until;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are shortened while they are served, and a disk that is full. */
class LostFilesTest {

    @TempDir
    private Path directory;

    private TwoExecutors both;

    @BeforeEach
    void open() throws IOException {
        both = new TwoExecutors(directory);
    }

    @AfterEach
    void close() {
        both.close();
    }

    private void shorten(long map, long bytes) throws IOException {
        try (FileChannel file = FileChannel.open(both.data(map), StandardOpenOption.WRITE)) {
            file.truncate(bytes);
        }
    }

    @Test
    void outputThatIsShortenedWhileItIsMapped_failsItsFetchesOnly() throws Exception {
        both.output(1, 1_000_000, 1_000_000);
        byte[] other = both.output(2, 500_000);
        both.fetch("shuffle_4_1_1").release();
        shorten(1, 4_096);
        TwoExecutors.Delivered lost = both.fetch("shuffle_4_1_1");
        assertEquals(1, lost.failures.size(), lost.failures::toString);
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_2_0");
        assertArrayEquals(other, delivered.bytes("shuffle_4_2_0"));
        delivered.release();
        both.server().remove(TwoExecutors.SHUFFLE);
        assertEquals(0, both.serving.registeredBytes.get());
    }

    @Test
    void smallBlocksOfAnOutputThatIsShortened_failTheirRequest() throws Exception {
        // Two blocks that do not follow each other are collected by the executor that has them.
        both.output(1, 100, 100_000, 100);
        both.fetch("shuffle_4_1_0", "shuffle_4_1_2").release();
        assertEquals(1, both.serving.gathered.get());
        shorten(1, 0);
        TwoExecutors.Delivered lost = both.fetch("shuffle_4_1_0", "shuffle_4_1_2");
        assertEquals(2, lost.failures.size(), lost.failures::toString);
        assertEquals(0, both.reading.repeated.get());
        byte[] other = both.output(2, 500_000);
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_2_0");
        assertArrayEquals(other, delivered.bytes("shuffle_4_2_0"));
        delivered.release();
    }

    /** Creates files on a disk that is full after some writes. */
    private static final class FullDisk implements DownloadFileManager {
        private final AtomicInteger files = new AtomicInteger();
        private int writesLeft;

        private FullDisk(int writes) {
            writesLeft = writes;
        }

        @Override
        public DownloadFile createTempFile(TransportConf conf) {
            files.incrementAndGet();
            return new DownloadFile() {
                @Override
                public boolean delete() {
                    files.decrementAndGet();
                    return true;
                }

                @Override
                public DownloadFileWritableChannel openForWriting() {
                    return new Writing();
                }

                @Override
                public String path() {
                    return "full";
                }
            };
        }

        @Override
        public boolean registerTempFileToClean(DownloadFile file) {
            return true;
        }

        private final class Writing implements DownloadFileWritableChannel {
            @Override
            public ManagedBuffer closeAndRead() {
                return RangeBuffer.empty(1).getFirst();
            }

            @Override
            public int write(ByteBuffer bytes) throws IOException {
                if (writesLeft == 0) {
                    throw new IOException("No space left on device");
                }
                writesLeft--;
                int count = bytes.remaining();
                bytes.position(bytes.limit());
                return count;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        }
    }

    @Test
    void fullDisk_failsTheFetchAndKeepsNothing() throws Exception {
        String[] names = IntStream.range(0, 20)
                .mapToObj(map -> "shuffle_4_" + map + "_0")
                .toArray(String[]::new);
        for (int map = 0; map < names.length; map++) {
            both.output(map, 1_000, 1_000);
        }
        FullDisk disk = new FullDisk(7);
        TwoExecutors.Delivered lost = both.fetch(Optional.of(disk), names);
        assertEquals(names.length, lost.failures.size());
        assertTrue(lost.failure(names[0]).contains("No space left on device"), lost.failures::toString);
        assertEquals(0, disk.files.get());
        assertEquals(0, both.peers().buffers().takenBytes());
        // The place where the blocks were collected is released, too.
        assertEquals(1, both.serving.gathered.get());
        Until.holds("the place is released", () -> both.server().places().takenBytes() == 0);
        both.fetch(names).release();
    }
}
