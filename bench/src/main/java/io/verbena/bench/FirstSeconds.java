package io.verbena.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.Children;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.BufferedReader;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Half a round trip of Writes of 8 bytes between two new JVMs that poll, second by second, without a cache of
 * classes: what a short program sees. Run: {@code bench/launch io.verbena.bench.FirstSeconds [PROVIDER [SECONDS
 * [SETTING=VALUE ...]]]}
 */
public final class FirstSeconds {

    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final WrFlags INLINE = WrFlags.UNSIGNALLED.withInline();
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int BYTES = 8;
    private static final int IN = 64;
    private static final long END = -1;

    /** Round trips of a second that are kept. */
    private static final int MOST = 1 << 21;

    private final Endpoint endpoint;
    private final long address;
    private final int key;
    private final double[] halves = new double[MOST];

    /** Medians and means of the seconds so far. */
    private final List<Double> medians = new ArrayList<>();

    private final List<Double> means = new ArrayList<>();

    private FirstSeconds(Endpoint endpoint, long address, int key) {
        this.endpoint = endpoint;
        this.address = address;
        this.key = key;
        Arrays.fill(halves, 1); // its pages are there before the first second
    }

    public static void main(String[] arguments) throws Exception {
        String provider = arguments.length > 0 ? arguments[0] : "shm";
        String seconds = arguments.length > 1 ? arguments[1] : "6";
        if (provider.equals("client")) {
            client(arguments);
            return;
        }
        String[] settings = Arrays.copyOfRange(arguments, Math.min(2, arguments.length), arguments.length);
        if (provider.startsWith("server:")) {
            server(options(provider.substring("server:".length()), settings));
            return;
        }
        List<String> ours = new ArrayList<>(List.of("server:" + provider, seconds));
        ours.addAll(List.of(settings));
        Process server = start(ours);
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            List<String> theirs = new ArrayList<>(List.of("client", seconds, provider));
            String words = lines.readLine();
            if (words == null) {
                throw new IllegalStateException("the server has ended");
            }
            theirs.addAll(List.of(words.split(" ")));
            theirs.addAll(List.of(settings));
            Process client = start(theirs);
            client.inputReader(StandardCharsets.UTF_8).lines().forEach(System.out::println);
            client.waitFor();
        } finally {
            server.destroy();
        }
    }

    private static Process start(List<String> arguments) throws Exception {
        List<String> command = Children.java(List.of(), FirstSeconds.class.getName(), arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static RnicOptions options(String provider, String... settings) {
        Map<String, String> values = Arrays.stream(settings)
                .map(setting -> setting.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        return RnicOptions.defaults()
                .withProvider(provider)
                .withProgress(Progress.INLINE)
                .withSettings(values);
    }

    private static void server(RnicOptions options) throws Exception {
        Endpoint own = new Endpoint(options, 4096, 16);
        try (Listener listener = own.rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            MemoryRegion region = own.region;
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            System.out.println(port + " " + region.address() + " " + region.rkey());
            own.queuePair.postReceive(1, region, 128, 16);
            listener.nextRequest(Endpoint.TIMEOUT)
                    .orElseThrow()
                    .startAccept(own.queuePair, ConnectionOptions.defaults())
                    .awaitEstablished(Endpoint.TIMEOUT);
            own.awaitOne();
        }
        FirstSeconds echo = new FirstSeconds(own, own.region.segment().get(JAVA_LONG, 128), (int)
                own.region.segment().get(JAVA_LONG, 136));
        for (long expected = 1; echo.await(expected); expected++) {
            echo.write(expected);
        }
    }

    private static void client(String... arguments) throws Exception {
        int seconds = Integer.parseInt(arguments[1]);
        Endpoint own =
                new Endpoint(options(arguments[2], Arrays.copyOfRange(arguments, 6, arguments.length)), 4096, 16);
        Connection connection = own.rnic.startConnect(
                own.queuePair,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[3])),
                ConnectionOptions.defaults());
        connection.awaitEstablished(Endpoint.TIMEOUT);
        own.region.segment().set(JAVA_LONG, 128, own.region.address());
        own.region.segment().set(JAVA_LONG, 136, own.region.rkey());
        own.queuePair.postSend(1, own.region, 128, 16, WrFlags.SIGNALLED);
        own.awaitOne();
        FirstSeconds ping = new FirstSeconds(own, Long.parseLong(arguments[4]), Integer.parseInt(arguments[5]));
        long value = 0;
        for (int second = 1; second <= seconds; second++) {
            value = ping.second(second, value);
        }
        ping.printRatios();
        ping.write(END);
        own.rnic.progress();
        own.close();
    }

    /** Round trips of a second; prints them. */
    private long second(int number, long from) {
        long value = from;
        int count = 0;
        long beginNs = System.nanoTime();
        long nowNs = beginNs;
        while (nowNs - beginNs < SECOND_NS) {
            write(++value);
            await(value);
            long thenNs = System.nanoTime();
            halves[count] = (thenNs - nowNs) / 2000.0;
            count = Math.min(count + 1, halves.length - 1);
            nowNs = thenNs;
        }
        double[] sorted = Arrays.copyOf(halves, count);
        Arrays.sort(sorted);
        medians.add(sorted[sorted.length / 2]);
        means.add(Arrays.stream(sorted).average().orElse(0));
        System.out.printf(
                Locale.ROOT,
                "second %d: %8d round trips, half of one %7.2f us in the middle, %7.2f at 90 %%, %7.2f at 99 %%, mean %7.2f%n",
                number,
                sorted.length,
                medians.getLast(),
                sorted[sorted.length * 9 / 10],
                sorted[(int) (sorted.length * 0.99)],
                means.getLast());
        return value;
    }

    /** The first seconds beside the fastest one. */
    private void printRatios() {
        double median = medians.stream().mapToDouble(it -> it).min().orElse(1);
        double mean = means.stream().mapToDouble(it -> it).min().orElse(1);
        for (int i = 0; i < Math.min(2, medians.size()); i++) {
            System.out.printf(
                    Locale.ROOT,
                    "second %d beside the fastest: %.2f in the middle, %.2f on average%n",
                    i + 1,
                    medians.get(i) / median,
                    means.get(i) / mean);
        }
    }

    private void write(long value) {
        endpoint.region.segment().set(JAVA_LONG, 0, value);
        while (!endpoint.queuePair.postWrite(1, endpoint.region, 0, BYTES, address + IN, key, INLINE)) {
            endpoint.rnic.progress();
        }
    }

    /** Waits for a value; false if it is the last one. */
    private boolean await(long value) {
        while (true) {
            long seen = (long) WORD.getAcquire(endpoint.region.segment(), (long) IN);
            if (seen == value || seen == END) {
                return seen == value;
            }
            endpoint.rnic.progress();
        }
    }
}
