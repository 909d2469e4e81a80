package io.verbena.spark;

import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/** What an executor has for the shuffle: an RNIC, the server for its own map outputs, and the connections to others. */
final class ExecutorSide implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ExecutorSide.class);

    private final ShuffleFigures figures = new ShuffleFigures();
    private final Rnic rnic;
    private final HandlerProcessor processor;
    private final RangeServer server;
    private final BlockReader reader;

    private ExecutorSide(ShuffleSettings settings, SparkConf conf, SparkEnv env, IndexShuffleBlockResolver files)
            throws IOException {
        String host = env.blockManager().blockManagerId().host();
        InetSocketAddress address = new InetSocketAddress(host, settings.port());
        if (address.isUnresolved()) {
            throw new IOException("the name of this host is not known, " + host + "; set SPARK_LOCAL_IP");
        }
        rnic = Rnic.open(options(settings.rnic(), address.getAddress()));
        processor = HandlerProcessor.open(ProcessorOptions.virtualThreads("verbena-shuffle"));
        boolean done = false;
        try {
            ExecutorDirectory.Remote directory = new ExecutorDirectory.Remote(conf, env.rpcEnv());
            byte[] secret = directory.secret();
            ShuffleContext context = ShuffleContext.of(conf, rnic, processor, figures);
            server = new RangeServer(context, listening(settings, address), secret, location(files));
            reader = new BlockReader(new Peers(context, directory, secret));
            InetSocketAddress listening = reachable(host, (InetSocketAddress) server.address());
            directory.register(env.executorId(), listening);
            LOG.info(
                    "Map outputs of executor {} are read by RDMA at {} (provider {})",
                    env.executorId(),
                    listening,
                    rnic.query().provider());
            done = true;
        } finally {
            if (!done) {
                rnic.close();
                processor.close();
            }
        }
        env.metricsSystem().registerSource(figures);
    }

    /**
     * Opens the RNIC of this executor and states its address to the driver.
     *
     * @throws UncheckedIOException if the executor cannot listen
     * @throws io.verbena.verbs.VerbsException if no RNIC can be opened
     */
    static ExecutorSide open(SparkConf conf, SparkEnv env, IndexShuffleBlockResolver files) {
        try {
            return new ExecutorSide(ShuffleSettings.of(conf), conf, env, files);
        } catch (IOException e) {
            throw new UncheckedIOException("The shuffle of this executor cannot be served: " + e.getMessage(), e);
        }
    }

    /** An RNIC of RoCE has the address of the executor, or a free loopback address. */
    private static RnicOptions options(RnicOptions options, InetAddress host) {
        return isRoce(options) && options.device().isEmpty() && !host.isLoopbackAddress()
                ? options.withDevice(host.getHostAddress())
                : options;
    }

    private static boolean isRoce(RnicOptions options) {
        return options.provider().equals("roce");
    }

    /** With RoCE the address is that of the RNIC. */
    private static InetSocketAddress listening(ShuffleSettings settings, InetSocketAddress address) {
        return isRoce(settings.rnic()) ? new InetSocketAddress(settings.port()) : address;
    }

    private static InetSocketAddress reachable(String host, InetSocketAddress listening) {
        return listening.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(host, listening.getPort())
                : listening;
    }

    private static MapOutputs.Location location(IndexShuffleBlockResolver files) {
        return new MapOutputs.Location() {
            @Override
            public Path data(int shuffle, long map) {
                return files.getDataFile(shuffle, map).toPath();
            }

            @Override
            public Path index(int shuffle, long map) {
                return files.getIndexFile(shuffle, map, Option.empty()).toPath();
            }
        };
    }

    BlockReader reader() {
        return reader;
    }

    ShuffleFigures figures() {
        return figures;
    }

    /**
     * Revokes the keys of a shuffle; its files may be deleted afterwards. After the last shuffle no memory is
     * registered but that of messages.
     */
    void remove(int shuffle) {
        server.remove(shuffle);
        reader.remove(shuffle);
    }

    @Override
    public void close() {
        try {
            reader.close();
        } catch (IOException e) {
            LOG.warn("The connections of the shuffle could not be closed", e);
        }
        server.close();
        rnic.close();
        processor.close();
    }
}
