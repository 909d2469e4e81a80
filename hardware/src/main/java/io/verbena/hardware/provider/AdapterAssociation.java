package io.verbena.hardware.provider;

import io.verbena.base.RandomSource;
import io.verbena.hardware.provider.cm.CmEvent;
import io.verbena.hardware.provider.survival.AdapterAgreement;
import io.verbena.hardware.provider.survival.AdapterResume;
import io.verbena.survival.Association;
import io.verbena.survival.AssociationId;
import io.verbena.survival.AssociationSecret;
import io.verbena.survival.AssociationSettings;
import io.verbena.survival.ExecutionRecord;
import io.verbena.survival.ResumableRequests;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumePoint;
import io.verbena.verbs.TransportChanges;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the two sides of a connection over adapters have agreed on, and the engine that resumes it. The adapter of the
 * peer does not count what it executes, so that the engine knows no progress: all that is known is the log word beside
 * its messages.
 */
final class AdapterAssociation {

    private static final AssociationSettings DEFAULTS = AssociationSettings.defaults();

    private final AssociationId id;
    private final AssociationSecret secret;
    private final SurvivingQueues queues;
    private final Association<Requests> engine;

    /** By epoch: the RESUMEs that are not answered. */
    private final Map<Long, Asking> asking = new HashMap<>();

    /**
     * A request in which RESUME has arrived.
     *
     * @param id its rdma_cm_id
     * @param executed the log word of the peer
     * @param refusal the private data that say that nothing is known of a connection
     */
    record Asking(long id, long executed, byte[] refusal) {}

    /** The engine knows only whether anything is done over a transport. */
    record Requests(SurvivingQueues queues) implements ResumableRequests {

        @Override
        public long completed() {
            return queues.done();
        }

        @Override
        public boolean agreesWith(ResumePoint peer) {
            return true;
        }

        @Override
        public void resume(ResumePoint peer) {
            // The queues resume when the native queue pair is connected.
        }

        @Override
        public long stateDigest() {
            return completed();
        }
    }

    /**
     * The association of two contributions.
     *
     * @param addresses number of addresses of the peer; 0 if the peer has connected
     * @param patience maximum time without a transport
     */
    AdapterAssociation(
            AdapterAgreement own,
            AdapterAgreement ofPeer,
            SurvivingQueues queues,
            int addresses,
            Duration patience,
            RandomSource random) {
        AdapterAgreement request = own.side() == 0 ? own : ofPeer;
        AdapterAgreement reply = own.side() == 0 ? ofPeer : own;
        id = request.id(reply);
        secret = request.secret(reply);
        this.queues = queues;
        AssociationSettings settings = new AssociationSettings(
                DEFAULTS.requests(),
                DEFAULTS.depth(),
                DEFAULTS.attempt(),
                patience,
                DEFAULTS.firstPause(),
                DEFAULTS.longestPause());
        engine = new Association<>(
                own.side(), addresses, settings, new Requests(queues), new ExecutionRecord(1), random);
    }

    AssociationId id() {
        return id;
    }

    Association<Requests> engine() {
        return engine;
    }

    /** RESUME has arrived; returns an earlier one of the same epoch, which is not answered. */
    Optional<Asking> ask(CmEvent request, AdapterResume resume) {
        Asking added = new Asking(request.id(), resume.executed(), AdapterResume.unknown(request.privateData()));
        return Optional.ofNullable(asking.put(resume.message().epoch(), added));
    }

    /** The RESUME of an epoch, which is answered now. */
    Optional<Asking> take(long epoch) {
        return Optional.ofNullable(asking.remove(epoch));
    }

    /** All that are left. */
    List<Asking> takeAll() {
        List<Asking> all = List.copyOf(asking.values());
        asking.clear();
        return all;
    }

    /** The private data that carry a message, with the log word of this side. */
    byte[] encode(ResumeMessage message) {
        return AdapterResume.encode(new AdapterResume(message, queues.words().executed()), id, secret);
    }

    /** The message in private data that have an id, if its code is right. */
    Optional<AdapterResume> open(byte[] privateData) {
        return AdapterResume.open(privateData, secret);
    }

    /** The message of the peer in an event. */
    Optional<AdapterResume> answerIn(CmEvent event) {
        return AdapterResume.id(event.privateData()).filter(id::equals).flatMap(_ -> open(event.privateData()));
    }

    /** What has changed, for people. */
    static String changed(String from, String to, String reason, TransportChanges changes) {
        return "The connection continues over " + to + ", and no longer over " + from + ". " + reason + " So far "
                + changes.repeated() + " requests were sent again and " + changes.recovered() + " recovered.";
    }
}
