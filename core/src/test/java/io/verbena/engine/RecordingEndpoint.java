package io.verbena.engine;

import java.util.List;

/** An endpoint that writes down what the engine does with it, and throws where the test wants it. */
final class RecordingEndpoint extends Endpoint {

    private final String name;
    private final List<String> log;

    /** What it does in addition while it is served. */
    Runnable onService = () -> {};

    /** What it does in addition when its deadline has passed. */
    Runnable onDeadline = () -> {};

    /** The call that throws: "service", "deadline", "doorbell", "bug", "flush"; empty for none. */
    String failing = "";

    /** Whether it answers its doorbell in the thread that rings. */
    boolean answersItself;

    /** Whether its flushed work found room. */
    boolean flushes;

    long digest;

    RecordingEndpoint(String name, List<String> log) {
        this.name = name;
        this.log = log;
    }

    private void record(String call, String what) {
        log.add(name + " " + what);
        if (failing.equals(call)) {
            throw new AssertionError("on purpose");
        }
    }

    @Override
    protected void service(long nowNs) {
        record("service", "served at " + nowNs);
        onService.run();
    }

    @Override
    protected void onDeadline(long nowNs) {
        record("deadline", "deadline at " + nowNs);
        onDeadline.run();
    }

    @Override
    protected void onBug(String sentence, long nowNs) {
        record("bug", "ended at " + nowNs + ": " + sentence);
    }

    @Override
    protected long stateDigest() {
        return digest;
    }

    @Override
    protected void onDoorbell() {
        record("doorbell", "doorbell");
    }

    @Override
    protected boolean onOwnDoorbell() {
        record("own", "own doorbell");
        return answersItself;
    }

    @Override
    protected boolean retryFlush() {
        record("flush", "flush");
        return flushes;
    }
}
