package io.verbena.bench.sockets;

import io.verbena.bench.side.Spread;
import io.verbena.sockets.agent.AgentJar;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The processor time of a MiB of a file, from {@code FileChannel.transferTo} to the last read at the other end, and
 * from the first write to the return of {@code FileChannel.transferFrom}: over TCP by the JDK, and over rings in a JVM
 * without and with the agent. The JVMs measure in turn. {@code --rounds N}.
 */
public final class FileFigures {

    private static final int ROUNDS = 7;
    private static final int WARM_UPS = 3;

    /** Of each round: the time and the faults to send, those to receive. */
    private static final int FIGURES = 4;

    private FileFigures() {}

    public static void main(String[] arguments) throws IOException {
        List<String> words = List.of(arguments);
        int at = words.indexOf("--rounds");
        int rounds = at < 0 ? ROUNDS : Integer.parseInt(words.get(at + 1));
        List<String> agent = List.of("-javaagent:" + AgentJar.make(System.err::println));
        Map<String, OtherJvm> jvms = new LinkedHashMap<>();
        try {
            jvms.put("jdk", new OtherJvm(List.of(), FileSide.class, Contestant.JDK.name()));
            jvms.put("ring, mapped", new OtherJvm(List.of(), FileSide.class, Contestant.RING.name()));
            jvms.put("ring, agent", new OtherJvm(agent, FileSide.class, Contestant.RING.name()));
            Map<String, double[][]> all = measure(jvms, rounds);
            all.forEach((name, each) -> print(name, each, all.getOrDefault("jdk", each)));
        } finally {
            jvms.values().forEach(OtherJvm::close);
        }
        System.exit(0);
    }

    private static Map<String, double[][]> measure(Map<String, OtherJvm> jvms, int rounds) throws IOException {
        Map<String, double[][]> all = new LinkedHashMap<>();
        for (int round = -WARM_UPS; round < rounds; round++) {
            for (Map.Entry<String, OtherJvm> jvm : jvms.entrySet()) {
                jvm.getValue().next();
                String[] answer = jvm.getValue().line().split(" ");
                double[][] figures = all.computeIfAbsent(jvm.getKey(), _ -> new double[FIGURES][rounds]);
                for (int i = 0; i < FIGURES && round >= 0; i++) {
                    figures[i][round] = Double.parseDouble(answer[i]);
                }
            }
        }
        return all;
    }

    private static void print(String name, double[][] each, double[][] jdk) {
        System.out.printf(
                Locale.ROOT,
                "%-13s a MiB sent: %6.0f us of a processor (%.2f of the JDK), %5.1f faults; received: %6.0f us (%.2f), %5.1f faults%n",
                name,
                Spread.of(each[0]).median(),
                Spread.ofRatios(each[0], jdk[0]).median(),
                Spread.of(each[1]).median(),
                Spread.of(each[2]).median(),
                Spread.ofRatios(each[2], jdk[2]).median(),
                Spread.of(each[3]).median());
    }
}
