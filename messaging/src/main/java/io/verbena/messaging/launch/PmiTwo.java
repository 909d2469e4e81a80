package io.verbena.messaging.launch;

import java.io.IOException;

/** Version 2 of PMI: after a first line, texts of pairs that end with semicolons, each with its length in six characters before it. */
final class PmiTwo implements Pmi.Dialogue {

    private static final int LENGTH_DIGITS = 6;
    private static final int MAX_LENGTH = 8192;

    private final LauncherWire wire;
    private final String job;
    private final int rank;

    PmiTwo(LauncherWire wire, String job, int rank) {
        this.wire = wire;
        this.job = job;
        this.rank = rank;
    }

    @Override
    public boolean begin() throws IOException {
        wire.send("cmd=init pmi_version=2 pmi_subversion=0\n");
        String answer = wire.line();
        if (!Pmi.value(answer, " ", "cmd").orElse("").equals("response_to_init")) {
            throw Pmi.unexpected(answer);
        }
        if (!Pmi.value(answer, " ", "rc").orElse("").equals("0")) {
            return false;
        }
        ask("fullinit", "pmijobid=" + job + ";pmirank=" + rank + ";threaded=FALSE;");
        return true;
    }

    @Override
    public void put(String key, String value) throws IOException {
        ask("kvs-put", "key=" + key + ";value=" + value + ";");
    }

    @Override
    public void barrier() throws IOException {
        ask("kvs-fence", "");
    }

    @Override
    public String get(String key) throws IOException {
        String answer = ask("kvs-get", "jobid=" + job + ";srcid=-1;key=" + key + ";");
        return Pmi.value(answer, ";", "value").orElseThrow(() -> Pmi.unexpected(answer));
    }

    @Override
    public void end() throws IOException {
        ask("finalize", "");
    }

    private String ask(String command, String pairs) throws IOException {
        String request = "cmd=" + command + ";" + pairs;
        wire.send(padded(request.length()) + request);
        String digits = wire.text(LENGTH_DIGITS).strip();
        int length = JobVariables.number("The length that the launcher sent", digits);
        if (length < 0 || length > MAX_LENGTH) {
            throw Pmi.unexpected(digits);
        }
        String answer = wire.text(length);
        if (!Pmi.value(answer, ";", "cmd").orElse("").equals(command + "-response")
                || !Pmi.value(answer, ";", "rc").orElse("0").equals("0")) {
            throw Pmi.unexpected(answer);
        }
        return answer;
    }

    private static String padded(int length) {
        String digits = String.valueOf(length);
        return digits + " ".repeat(LENGTH_DIGITS - digits.length());
    }
}
