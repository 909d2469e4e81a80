package io.verbena.rnic.iwarp;

import io.verbena.port.StreamLoop;
import io.verbena.survival.Association;
import io.verbena.survival.AssociationState;
import io.verbena.survival.ResumePoint;
import io.verbena.survival.ResumeType;
import io.verbena.text.AddressText;
import java.net.SocketAddress;
import java.util.List;

/** What the {@link Standby} of a connection asks, and where. The engine of the queue pair calls every method. */
final class StandbyQuestions implements Standby.Owner {

    private final Survivor survivor;
    private final IwarpQueuePair queuePair;
    private final Association<?> association;
    private final List<SocketAddress> addresses;
    private int asked;

    StandbyQuestions(
            Survivor survivor, IwarpQueuePair queuePair, Association<?> association, List<SocketAddress> addresses) {
        this.survivor = survivor;
        this.queuePair = queuePair;
        this.association = association;
        this.addresses = addresses;
    }

    @Override
    public int addressToAsk() {
        asked = association.otherAddress(asked);
        return asked;
    }

    @Override
    public void connect(int address, StreamLoop.ConnectEvents events) {
        queuePair.engine().streams().connect(addresses.get(address), events);
    }

    @Override
    public byte[] probe(long number) {
        return survivor.message(ResumeType.PROBE, association.epoch(), new ResumePoint(number, 0, List.of()));
    }

    @Override
    public boolean answers(byte[] reply, long number) {
        return survivor.fromPeer(reply)
                .filter(it -> it.type() == ResumeType.ALIVE && it.progress().completed() == number)
                .isPresent();
    }

    @Override
    public boolean silent() {
        return association.state() == AssociationState.CARRIED
                && queuePair
                        .stage()
                        .map(stage -> stage instanceof RdmaStage carrier && carrier.silent())
                        .orElse(false);
    }

    @Override
    public void leaveFor(int address, long nowNs) {
        survivor.leaveFor(
                address,
                "The peer was silent, and answered at " + AddressText.of(addresses.get(address)) + " meanwhile.",
                nowNs);
    }
}
