package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.junit.jupiter.api.Test;

/** A process without descriptors: its open selectors continue, as those of the JDK do. */
class DescriptorsTest {

    /** The provider of the JDK on a machine that has descriptors for a number of selectors. */
    private static final class Scarce extends SelectorProvider {
        private final SelectorProvider jdk = SelectorProvider.provider();
        private int left;

        Scarce(int selectors) {
            left = selectors;
        }

        @Override
        public AbstractSelector openSelector() throws IOException {
            if (left-- <= 0) {
                throw new IOException("Too many open files");
            }
            return jdk.openSelector();
        }

        @Override
        public DatagramChannel openDatagramChannel() throws IOException {
            return jdk.openDatagramChannel();
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
            return jdk.openDatagramChannel(family);
        }

        @Override
        public Pipe openPipe() throws IOException {
            return jdk.openPipe();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() throws IOException {
            return jdk.openServerSocketChannel();
        }

        @Override
        public SocketChannel openSocketChannel() throws IOException {
            return jdk.openSocketChannel();
        }
    }

    private static VerbenaSelector selector(int descriptors) throws IOException {
        SocketsOptions options = SocketsOptions.defaults();
        return new VerbenaSelector(VerbenaSelectorProvider.of(options), new Networks(new Scarce(descriptors), options));
    }

    @Test
    void noneLeftAfterOpening_registersAndSelects() throws IOException {
        try (VerbenaSelector selector = selector(2)) {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel sink = pipe.sink();
                    Pipe.SourceChannel source = pipe.source()) {
                source.configureBlocking(false);
                selector.register((AbstractSelectableChannel) source, SelectionKey.OP_READ, null);
                sink.write(ByteBuffer.wrap(new byte[1]));
                assertEquals(1, selector.select());
            }
        }
    }

    @Test
    void noneLeftForASelector_openingThrowsAsTheJdks() {
        assertEquals(
                "Too many open files",
                assertThrows(IOException.class, () -> selector(0)).getMessage());
        assertEquals(
                "Too many open files",
                assertThrows(IOException.class, () -> selector(1)).getMessage());
    }
}
