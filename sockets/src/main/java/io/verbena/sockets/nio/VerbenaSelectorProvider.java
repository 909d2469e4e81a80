package io.verbena.sockets.nio;

import io.verbena.live.Publication;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A provider of channels and selectors whose stream sockets use shared memory and RDMA where the peer does, and TCP elsewhere.
 *
 * <p>For a program that is not changed:
 *
 * <pre>
 * java --add-exports=java.base/sun.nio.ch=ALL-UNNAMED \
 *      -Djava.nio.channels.spi.SelectorProvider=io.verbena.sockets.nio.VerbenaSelectorProvider \
 *      -Dio.verbena.sockets.rdma='kafka-*:9092' …
 * </pre>
 *
 * <p>For a program that passes a provider in: {@link #of}. Server sockets accept both kinds of peers at one port. Datagram
 * channels, pipes and Unix sockets are those of the JDK.
 */
public final class VerbenaSelectorProvider extends SelectorProvider implements Supplier<SelectorProvider> {

    private final SocketsOptions options;
    private final boolean publishes;
    private @Nullable Networks networks;

    /** The provider of the JVM, with the options that the system properties state. */
    public VerbenaSelectorProvider() {
        this(SocketsOptions.fromProperties(), !"false".equals(System.getProperty(SocketsOptions.FIGURES)));
    }

    private VerbenaSelectorProvider(SocketsOptions options, boolean publishes) {
        this.options = options;
        this.publishes = publishes;
    }

    /** A provider that is not that of the JVM. */
    public static VerbenaSelectorProvider of(SocketsOptions options) {
        return new VerbenaSelectorProvider(options, false);
    }

    /** What carries the bytes of a channel; {@link SocketTransport#TCP} for a connected channel of another provider. */
    public static SocketTransport transport(Channel channel) {
        return switch (channel) {
            case VerbenaSocketChannel ours -> ours.transport();
            case SocketChannel other when other.isConnected() -> SocketTransport.TCP;
            default -> SocketTransport.NONE;
        };
    }

    /** Whether {@link #transferTo} and {@link #transferFrom} accept this channel: it is carried by RDMA and does not block. */
    public static boolean transfers(SocketChannel channel) {
        return channel instanceof VerbenaSocketChannel ours && ours.transfers();
    }

    /**
     * Reads what has arrived at a channel over RDMA to another channel, without a buffer of the program. The
     * other one must not block, and is no channel over RDMA. See {@link StreamSocket#readTo}.
     *
     * @return the number of bytes; 0 if none have arrived or the other channel has taken none; -1 at the end of the stream
     * @throws IOException if the stream or the other channel has failed
     */
    public static int transferTo(SocketChannel stream, WritableByteChannel target) throws IOException {
        return ((VerbenaSocketChannel) stream).readTo(target);
    }

    /**
     * Writes bytes of a channel to one over RDMA, without a buffer of the program. The first one must not block,
     * and is no channel over RDMA. See {@link StreamSocket#writeFrom}.
     *
     * @return the number of bytes; 0 if the stream has no space or the other channel no bytes; -1 if that one has ended
     * @throws IOException if the stream or the other channel has failed
     */
    public static int transferFrom(ByteSource source, SocketChannel stream, int most) throws IOException {
        return ((VerbenaSocketChannel) stream).writeFrom(source, most);
    }

    /** What each open connection of this provider has done, the oldest first. */
    public List<SocketFigures> figures() {
        return networks().connections().figures();
    }

    /**
     * Why connections of this provider were and are carried by TCP, with the number of them for each reason,
     * since the provider was made. A reason
     * follows the words "by TCP:".
     */
    public Map<String, Long> tcpReasons() {
        return networks().connections().tcpReasons();
    }

    /** How many connections were carried by RDMA since this provider was made, and how many bytes, for each transport. */
    public List<StreamTotals> totals() {
        return networks().totals();
    }

    /** The provider of the JDK is looked for late: it cannot be found while the JVM creates this one. */
    synchronized Networks networks() {
        Networks found = networks;
        if (found == null) {
            found = new Networks(JdkProvider.find(), options);
            networks = found;
            if (publishes) {
                publish();
            }
        }
        return found;
    }

    private ProcessFigures published() {
        NativeTransports.look();
        return ProcessFigures.ofThis(networks().connections().tcpReasons(), figures());
    }

    /** Where other processes cannot be shown the figures, the program runs without that. */
    private void publish() {
        System.Logger log = System.getLogger(VerbenaSelectorProvider.class.getName());
        Publication.offer(
                ProcessFigures.KIND,
                _ -> published().toText(),
                sentence -> log.log(System.Logger.Level.DEBUG, sentence));
    }

    /** The provider of the JDK, whose channels an RNIC uses: over ours it would wait for itself. */
    @Override
    public SelectorProvider get() {
        return networks().jdk();
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return networks().jdk().openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return networks().jdk().openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return networks().jdk().openPipe();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return new VerbenaSelector(this, networks());
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return new VerbenaServerChannel(this, networks(), networks().jdk().openServerSocketChannel());
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        ServerSocketChannel jdk = networks().jdk().openServerSocketChannel(family);
        return family == StandardProtocolFamily.UNIX ? jdk : new VerbenaServerChannel(this, networks(), jdk);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return FileTargets.channel(this, networks(), networks().jdk().openSocketChannel());
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        SocketChannel jdk = networks().jdk().openSocketChannel(family);
        return family == StandardProtocolFamily.UNIX ? jdk : FileTargets.channel(this, networks(), jdk);
    }

    /** The channel that a program such as inetd has passed to this process: always one of the JDK. */
    @Override
    public @Nullable Channel inheritedChannel() throws IOException {
        return networks().jdk().inheritedChannel();
    }
}
