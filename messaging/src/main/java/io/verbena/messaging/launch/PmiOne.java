package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobStartException;
import java.io.IOException;

/** Version 1 of PMI: lines of words, each request with one answer. */
final class PmiOne implements Pmi.Dialogue {

    private final LauncherWire wire;
    private String store = "";

    PmiOne(LauncherWire wire) {
        this.wire = wire;
    }

    /** Rank and size, which a launcher that listens at a port tells only there. */
    int[] numbers(int id) throws IOException {
        wire.send("cmd=initack pmiid=" + id + "\n");
        expect("initack", wire.line());
        int[] numbers = new int[2];
        String size = wire.line();
        String rank = wire.line();
        numbers[0] = number(rank, "rank");
        numbers[1] = number(size, "size");
        wire.line(); // debug
        return numbers;
    }

    private static int number(String line, String name) throws JobStartException {
        expect("set", line);
        return JobVariables.number("The " + name + " that the launcher sent", value(line, name));
    }

    @Override
    public boolean begin() throws IOException {
        wire.send("cmd=init pmi_version=1 pmi_subversion=1\n");
        String answer = wire.line();
        expect("response_to_init", answer);
        if (!value(answer, "rc").equals("0")) {
            return false;
        }
        wire.send("cmd=get_my_kvsname\n");
        answer = wire.line();
        expect("my_kvsname", answer);
        store = value(answer, "kvsname");
        return true;
    }

    @Override
    public void put(String key, String value) throws IOException {
        wire.send("cmd=put kvsname=" + store + " key=" + key + " value=" + value + "\n");
        accepted("put_result", wire.line());
    }

    @Override
    public void barrier() throws IOException {
        wire.send("cmd=barrier_in\n");
        expect("barrier_out", wire.line());
    }

    @Override
    public String get(String key) throws IOException {
        wire.send("cmd=get kvsname=" + store + " key=" + key + "\n");
        String answer = wire.line();
        accepted("get_result", answer);
        return value(answer, "value");
    }

    @Override
    public void end() throws IOException {
        wire.send("cmd=finalize\n");
        expect("finalize_ack", wire.line());
    }

    private static void accepted(String kind, String answer) throws JobStartException {
        expect(kind, answer);
        if (!value(answer, "rc").equals("0")) {
            throw Pmi.unexpected(answer);
        }
    }

    private static void expect(String kind, String answer) throws JobStartException {
        if (!value(answer, "cmd").equals(kind)) {
            throw Pmi.unexpected(answer);
        }
    }

    private static String value(String answer, String name) throws JobStartException {
        return Pmi.value(answer, " ", name).orElseThrow(() -> Pmi.unexpected(answer));
    }
}
