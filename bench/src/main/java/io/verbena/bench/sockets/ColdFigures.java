package io.verbena.bench.sockets;

import io.verbena.bench.side.Spread;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The first seconds of two new JVMs: a client that blocks in each call sends 64 bytes and waits for the echo, again and again. A row has the mean time of a
 * round trip in that time, beside that over the provider of the JDK in the same round, and the processor time of both compilers of the JVM in the
 * client and in the server, which are those of the code that the echo needs. The contestants run in turn. {@code --rounds N}, {@code --seconds N}.
 */
public final class ColdFigures {

    private static final int ROUNDS = 7;
    private static final int SECONDS = 2;

    private final int rounds;
    private final int seconds;
    private final Map<Contestant, double[]> us = new EnumMap<>(Contestant.class);
    private final Map<Contestant, double[]> clientMs = new EnumMap<>(Contestant.class);
    private final Map<Contestant, double[]> serverMs = new EnumMap<>(Contestant.class);

    private ColdFigures(int rounds, int seconds) {
        this.rounds = rounds;
        this.seconds = seconds;
    }

    public static void main(String[] arguments) throws IOException {
        List<String> words = List.of(arguments);
        ColdFigures figures = new ColdFigures(number(words, "--rounds", ROUNDS), number(words, "--seconds", SECONDS));
        for (int round = 0; round < figures.rounds; round++) {
            for (Contestant contestant : Contestant.values()) {
                figures.measure(contestant, round);
            }
        }
        for (Contestant contestant : Contestant.values()) {
            System.out.println(figures.row(contestant));
        }
        System.exit(0);
    }

    private static int number(List<String> words, String option, int otherwise) {
        int at = words.indexOf(option);
        return at < 0 ? otherwise : Integer.parseInt(words.get(at + 1));
    }

    private void measure(Contestant contestant, int round) throws IOException {
        try (OtherJvm server = new OtherJvm(List.of(), ColdSide.class, contestant.name());
                OtherJvm client = new OtherJvm(
                        List.of(),
                        ColdSide.class,
                        contestant.name(),
                        String.valueOf(server.number()),
                        String.valueOf(seconds))) {
            String[] answer = client.line().split(" ");
            set(us, contestant, round, Double.parseDouble(answer[0]));
            set(clientMs, contestant, round, Double.parseDouble(answer[1]));
            set(serverMs, contestant, round, Double.parseDouble(server.line()));
        }
    }

    private void set(Map<Contestant, double[]> in, Contestant contestant, int round, double value) {
        in.computeIfAbsent(contestant, _ -> new double[rounds])[round] = value;
    }

    private String row(Contestant contestant) {
        return String.format(
                Locale.ROOT,
                "%-5s first %d s: a round trip %7.1f us (%.2f of the JDK); compilers %6.0f ms in the client (%.2f), %6.0f ms in the server (%.2f)",
                contestant.name().toLowerCase(Locale.ROOT),
                seconds,
                median(us, contestant),
                ratio(us, contestant),
                median(clientMs, contestant),
                ratio(clientMs, contestant),
                median(serverMs, contestant),
                ratio(serverMs, contestant));
    }

    private double median(Map<Contestant, double[]> of, Contestant contestant) {
        return Spread.of(of.getOrDefault(contestant, new double[rounds])).median();
    }

    private double ratio(Map<Contestant, double[]> of, Contestant contestant) {
        double[] none = new double[rounds];
        return Spread.ofRatios(of.getOrDefault(contestant, none), of.getOrDefault(Contestant.JDK, none))
                .median();
    }
}
