package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.QueuePairEngine;
import io.verbena.ib.QueuePairWork;
import io.verbena.ib.RcEngine;
import io.verbena.ib.RcSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode.Service;
import java.util.Set;

/** A reliable connection. */
final class ReliableProtocol implements ServiceProtocol {

    private final RcEngine engine;

    /** A connection that can receive (RTR). */
    ReliableProtocol(RcSettings settings, QueuePairWork work, PacketPath path) {
        engine = new RcEngine(settings, work, path, Bth.DEFAULT_P_KEY);
    }

    @Override
    public QueuePairEngine engine() {
        return engine;
    }

    @Override
    public Service service() {
        return Service.RC;
    }

    @Override
    public void readyToSend(RcSettings settings) {
        engine.readyToSend(settings);
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
    public void loadAlternate(PacketPath path) {
        engine.loadAlternate(path);
    }

    @Override
    public boolean migrate() {
        return engine.migrate();
    }
}
