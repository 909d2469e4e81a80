package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Native transports of Netty in a process that no agent watches, such as the task managers of Flink. */
class NativeTransportsTest {

    @TempDir
    private Path folder = Path.of(".");

    @ParameterizedTest
    @CsvSource({
        "/tmp/libnetty_transport_native_epoll_x86_6412345.so (deleted), io.netty, epoll",
        "/tmp/liborg_apache_flink_shaded_netty4_netty_transport_native_epoll_x86_641.so, org.apache.flink.shaded.netty4.io.netty, epoll",
        "/x y/libmy_1own_netty_transport_native_io_uring42_aarch_64.so, my_own.io.netty, io_uring",
    })
    void mappedLibrary_namesTheCopyOfNetty(String file, String netty, String kind) {
        assertEquals(
                Optional.of(new NativeTransports.Found(netty, kind)),
                NativeTransports.transport("7f2a-7f2b r-xp 00000000 08:01 42 " + file));
    }

    @ParameterizedTest
    @CsvSource({
        "/tmp/libnetty_tcnative_linux_x86_64.so",
        "/usr/lib/libc.so.6",
        "/tmp/netty_transport_native_epoll_x86_64.so.txt",
    })
    void otherFiles_areNone(String file) {
        assertEquals(Optional.empty(), NativeTransports.transport("7f2a-7f2b r-xp 00000000 08:01 42 " + file));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void libraryThatIsLoaded_isLeftOut() throws Exception {
        Path library = folder.resolve("liborg_example_netty_transport_native_epoll_x86_64.so");
        try (RandomAccessFile file = new RandomAccessFile(library.toFile(), "rw");
                Arena arena = Arena.ofConfined()) {
            file.setLength(4096);
            file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, 4096, arena);
            NativeTransports.look();
        }
        assertTrue(
                LeftOut.sentences()
                        .contains(
                                "sockets of the native transport epoll of org.example.io.netty, whose library is loaded:"
                                        + " -Dorg.example.io.netty.transport.noNative=true, or the agent of Verbena, switches it off"),
                () -> "" + LeftOut.sentences());
    }
}
