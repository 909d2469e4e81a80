package io.verbena.tools.ping;

import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Latencies;
import io.verbena.verbs.Termination;
import java.util.Optional;

/** What a ping has achieved so far. */
public final class PingFigures {

    private final Latencies rounds = new Latencies();
    private long firstNs;
    private long bytes;
    private long connections;
    private Optional<Termination> termination = Optional.empty();

    /** A round is complete; this number of bytes moved in each direction. */
    void round(long bytesEachWay, long durationNs) {
        firstNs = rounds.count() == 0 ? durationNs : firstNs;
        rounds.record(durationNs);
        bytes += bytesEachWay;
    }

    /** A connection is established. */
    void connection() {
        connections++;
    }

    /** The connection has ended, perhaps with a word of the protocol. */
    void ended(Optional<Termination> ending) {
        termination = ending;
    }

    /** Complete rounds. */
    public long rounds() {
        return rounds.count();
    }

    /** Bytes that went each way. */
    public long bytes() {
        return bytes;
    }

    /** Connections that stood. */
    public long connections() {
        return connections;
    }

    /** How long the first round took, in which most of the code ran for the first time. */
    public long firstNs() {
        return firstNs;
    }

    /** How long the rounds took. */
    public Latencies roundTimes() {
        return rounds;
    }

    /** Adds the figures to an object. */
    public void addTo(JsonObject json) {
        json.put("connections", connections)
                .put("rounds", rounds())
                .put("bytesEachWay", bytes)
                .put("firstRoundNs", firstNs)
                .put("roundNs", rounds.json());
        termination.ifPresent(ended -> json.put(
                "termination",
                new JsonObject()
                        .put("byUs", ended.byUs())
                        .put("layer", ended.layer())
                        .put("errorType", ended.errorType())
                        .put("errorCode", ended.errorCode())
                        .put("sentence", ended.sentence())));
    }
}
