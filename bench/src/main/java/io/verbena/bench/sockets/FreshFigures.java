package io.verbena.bench.sockets;

import io.verbena.bench.side.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The first connection between two new JVMs beside processes that compute: whether RDMA carries it, and how long the connect took.
 * {@code --pairs N} sets the number of pairs for each contestant, {@code --busy N} that of the processes.
 */
public final class FreshFigures {

    private static final int PAIRS = 20;
    private static final int BUSY = 20;

    private FreshFigures() {}

    public static void main(String[] arguments) throws IOException {
        List<String> words = List.of(arguments);
        int pairs = number(words, "--pairs", PAIRS);
        int busy = number(words, "--busy", BUSY);
        List<Process> computing = new ArrayList<>();
        try {
            for (int i = 0; i < busy; i++) {
                computing.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            for (Contestant contestant : Contestant.values()) {
                System.out.println(row(contestant, pairs, busy));
            }
        } finally {
            computing.forEach(Process::destroyForcibly);
        }
        System.exit(0);
    }

    private static int number(List<String> words, String option, int otherwise) {
        int at = words.indexOf(option);
        return at < 0 ? otherwise : Integer.parseInt(words.get(at + 1));
    }

    private static String row(Contestant contestant, int pairs, int busy) throws IOException {
        double[] tookMs = new double[pairs];
        int carried = 0;
        for (int i = 0; i < pairs; i++) {
            String[] answer = pair(contestant).split(" ");
            carried += Boolean.parseBoolean(answer[0]) ? 1 : 0;
            tookMs[i] = Double.parseDouble(answer[1]);
        }
        return String.format(
                Locale.ROOT,
                "%-5s beside %d: %d of %d connections by what the name says; the connect took %.1f ms",
                contestant.name().toLowerCase(Locale.ROOT),
                busy,
                carried,
                pairs,
                Spread.of(tookMs).median());
    }

    private static String pair(Contestant contestant) throws IOException {
        try (OtherJvm server = new OtherJvm(List.of(), FreshSide.class, contestant.name());
                OtherJvm client =
                        new OtherJvm(List.of(), FreshSide.class, contestant.name(), String.valueOf(server.number()))) {
            return client.line();
        }
    }
}
