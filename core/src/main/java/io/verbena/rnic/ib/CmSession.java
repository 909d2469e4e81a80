package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.cm.CmAnswer;
import io.verbena.ib.cm.CmOffer;
import io.verbena.ib.cm.CmPort;
import io.verbena.ib.cm.CmReject;
import java.util.function.Consumer;

/**
 * One connection at connection management. The engine of the queue pair calls its methods, and the steps run on the engine of the port; signals
 * take the opposite way. If both are one engine, each step and signal is a call; otherwise it is a command, and commands keep their order.
 */
final class CmSession implements CmParty {

    private static final int NO_NUMBER = 0;
    private static final int NOT_ANSWERED = -1;

    /** The connection of the queue pair, on the engine of the queue pair. */
    interface Owner extends CmParty {

        /** The peer withdrew its request before it was accepted. */
        void onWithdrawn();

        /** The peer proposes an alternate path. Returns whether it is loaded. */
        boolean loadsAlternate(PacketPath path);
    }

    private final InfinibandQueuePair queuePair;
    private final InfinibandPort port;
    private final ManagementQueuePair management;
    private final Owner owner;

    /** Used by the engine of the port only. */
    private int number = NO_NUMBER;

    CmSession(InfinibandQueuePair queuePair, Owner owner) {
        this.queuePair = queuePair;
        this.owner = owner;
        port = queuePair.port();
        management = port.management();
    }

    private void there(Runnable step) {
        port.run(queuePair.engine(), step);
    }

    private void here(Runnable step) {
        if (port.ownedBy(queuePair.engine())) {
            step.run();
        } else {
            queuePair.command(step);
        }
    }

    private long nowNs() {
        return queuePair.engine().nowNs();
    }

    // Steps.

    /** Sends a request. */
    void connect(CmOffer offer, PacketPath path) {
        there(() -> number = management.connect(offer, path, this, nowNs()));
    }

    /** Accepts a request of the peer. */
    void accept(int request, CmAnswer answer) {
        there(() -> {
            number = request;
            if (!management.accept(request, answer, this, nowNs())) {
                number = NO_NUMBER;
                here(owner::onWithdrawn);
            }
        });
    }

    /** Rejects a request of the peer whose queue pair cannot be connected. */
    void reject(int request) {
        there(() -> management.reject(request, CmReject.CONSUMER, new byte[0], nowNs()));
    }

    /** Confirms a reply. */
    void ready() {
        there(() -> {
            if (number != NO_NUMBER) {
                management.ready(number, nowNs());
            }
        });
    }

    /** The first packet of the peer's queue pair has arrived. */
    void dataCame() {
        there(() -> {
            if (number != NO_NUMBER) {
                management.dataCame(number, nowNs());
            }
        });
    }

    /** Proposes an alternate path. */
    void propose(CmPort.Alternate path) {
        there(() -> {
            if (number != NO_NUMBER && !management.propose(number, path, nowNs())) {
                here(() -> owner.onAlternateAnswered(NOT_ANSWERED));
            }
        });
    }

    /** Ends the connection, or its set-up. A signal reports when it has ended. */
    void disconnect() {
        there(() -> {
            if (number != NO_NUMBER) {
                management.disconnect(number, nowNs());
            }
        });
    }

    /** Ends the connection, or its set-up. No signal follows on the engine of the port. */
    void end() {
        there(() -> {
            if (number != NO_NUMBER) {
                management.forget(number);
                management.disconnect(number, nowNs());
                number = NO_NUMBER;
            }
        });
    }

    // Signals.

    @Override
    public void onReplied(CmAnswer answer, long nowNs) {
        here(() -> owner.onReplied(answer, nowNs));
    }

    @Override
    public void onEstablished(long nowNs) {
        here(() -> owner.onEstablished(nowNs));
    }

    @Override
    public void onAlternateProposed(PacketPath path, Consumer<Boolean> answer) {
        here(() -> {
            boolean loaded = owner.loadsAlternate(path);
            there(() -> answer.accept(loaded));
        });
    }

    @Override
    public void onAlternateAnswered(int status) {
        here(() -> owner.onAlternateAnswered(status));
    }

    @Override
    public void onRejected(int reason, byte[] privateData) {
        number = NO_NUMBER;
        here(() -> owner.onRejected(reason, privateData));
    }

    @Override
    public void onSmallerMtu(int mtuCode) {
        number = NO_NUMBER;
        here(() -> owner.onSmallerMtu(mtuCode));
    }

    @Override
    public void onTimedOut() {
        number = NO_NUMBER;
        here(owner::onTimedOut);
    }

    @Override
    public void onUnreachable() {
        number = NO_NUMBER;
        here(owner::onUnreachable);
    }

    @Override
    public void onDisconnected() {
        number = NO_NUMBER;
        here(owner::onDisconnected);
    }
}
