package io.verbena.sockets.stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.RnicOptions;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What both ends of an idle connection have in the Java heap, from the JVM's count of live objects. */
@Timeout(120)
class IdleConnectionTest {

    private static final Pattern CLASS = Pattern.compile("\\s*\\d+:\\s+\\d+\\s+(\\d+)\\s+(\\S+).*");
    private static final int BEFORE = 64;
    private static final int CONNECTIONS = 256;
    private static final int SHOWN = 12;

    /** Live bytes of each class, after a collection. */
    private static Map<String, Long> liveBytes() throws Exception {
        String text = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        Map<String, Long> bytes = new TreeMap<>();
        text.lines()
                .map(CLASS::matcher)
                .filter(Matcher::matches)
                .forEach(line -> bytes.merge(line.group(2), Long.parseLong(line.group(1)), Long::sum));
        bytes.remove("jdk.internal.vm.FillerElement");
        bytes.remove("[Ljdk.internal.vm.FillerElement;");
        return bytes;
    }

    @ParameterizedTest
    @CsvSource({"iwarp, 32", "shm, 36"})
    void idleConnections_bothEnds_haveLittleHeap(String provider, int mostKib) throws Exception {
        RnicOptions options = RnicOptions.defaults().withProvider(provider);
        try (StreamNetwork clients = StreamNetwork.open(options, StreamOptions.defaults());
                StreamNetwork servers = StreamNetwork.open(options, StreamOptions.defaults());
                StreamListener listener =
                        servers.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16)) {
            List<StreamSocket> open = new ArrayList<>();
            connect(clients, listener, open, BEFORE);
            Map<String, Long> before = liveBytes();
            connect(clients, listener, open, CONNECTIONS);
            Map<String, Long> after = liveBytes();
            before.forEach((name, bytes) -> after.merge(name, -bytes, Long::sum));
            long all = after.values().stream().mapToLong(Long::longValue).sum() / CONNECTIONS;
            assertTrue(all <= mostKib * 1024L, () -> all + " bytes for a connection, most of them in " + most(after));
            assertTrue(open.stream().allMatch(StreamSocket::connected));
        }
    }

    private static List<String> most(Map<String, Long> bytes) {
        return bytes.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(SHOWN)
                .map(each -> each.getKey() + " " + each.getValue() / CONNECTIONS)
                .toList();
    }

    private static void connect(StreamNetwork clients, StreamListener listener, List<StreamSocket> open, int count)
            throws Exception {
        for (int i = 0; i < count; i++) {
            open.add(clients.connect(listener.localAddress()));
            open.add(listener.accept(Duration.ofSeconds(20)).orElseThrow());
        }
    }
}
