package io.verbena.tools.demo;

import io.verbena.verbs.TransportType;
import java.util.List;

/**
 * What the demo found.
 *
 * @param sha256 checksum of the file
 * @param atServer checksum of what the Writes brought to the server
 * @param broughtBack checksum of what the Reads brought back
 * @param stages figures, in order
 * @param before what it took to come to the stages
 * @param transport what carried the connection
 */
public record DemoResult(
        String sha256,
        String atServer,
        String broughtBack,
        List<StageFigures> stages,
        Before before,
        TransportType transport) {

    /**
     * The time before the stages.
     *
     * @param setUpNs time that the connection's set-up took
     * @param preparedNs time of the unmeasured run before the stages; 0 if there was none
     */
    public record Before(long setUpNs, long preparedNs) {}

    /** Whether all three checksums are equal. */
    public boolean verified() {
        return sha256.equals(atServer) && sha256.equals(broughtBack);
    }
}
