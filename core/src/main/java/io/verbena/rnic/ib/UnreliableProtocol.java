package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.QueuePairEngine;
import io.verbena.ib.QueuePairWork;
import io.verbena.ib.RcSettings;
import io.verbena.ib.SettingsBuilder;
import io.verbena.ib.UcEngine;
import io.verbena.verbs.AccessRight;
import io.verbena.wire.ib.IbOpcode.Service;
import java.util.Set;

/** An unreliable connection. */
final class UnreliableProtocol implements ServiceProtocol {

    private final UcEngine engine;

    /** A connection that can receive (RTR). It uses the numbers, the MTU and the first PSNs of the settings. */
    UnreliableProtocol(RcSettings settings, QueuePairWork work, PacketPath path) {
        engine = new UcEngine(
                new SettingsBuilder()
                        .local(settings.localQp())
                        .remote(settings.remoteQp())
                        .mtuBytes(settings.mtuBytes())
                        .firstPsns(settings.firstSendPsn(), settings.firstReceivePsn())
                        .unreliableConnection(),
                work,
                path);
    }

    @Override
    public QueuePairEngine engine() {
        return engine;
    }

    @Override
    public Service service() {
        return Service.UC;
    }

    @Override
    public void readyToSend(RcSettings settings) {
        engine.readyToSend();
    }

    @Override
    public void drain(boolean on) {
        engine.drain(on);
    }

    @Override
    public void peerRights(Set<AccessRight> rights) {
        engine.peerRights(rights);
    }

    @Override
    public void abort(String sentence) {
        engine.abort(sentence);
    }

    @Override
    public boolean sendQueueFailed() {
        return engine.sendQueueFailed();
    }

    @Override
    public boolean recoverSendQueue() {
        return engine.recoverSendQueue();
    }

    @Override
    public void loadAlternate(PacketPath path) {
        engine.loadAlternate(path);
    }

    @Override
    public boolean migrate() {
        return engine.migrate();
    }
}
