package io.verbena.rnic.ib;

import io.verbena.ib.AddressHandles;
import io.verbena.ib.QueuePairEngine;
import io.verbena.ib.QueuePairWork;
import io.verbena.ib.RcSettings;
import io.verbena.ib.UdEngine;
import io.verbena.ib.UdSettings;
import io.verbena.verbs.AccessRight;
import io.verbena.wire.ib.IbOpcode.Service;
import java.util.Set;

/** Unreliable datagrams. */
final class DatagramProtocol implements ServiceProtocol {

    private final UdEngine engine;

    /** A queue pair that can receive (RTR). */
    DatagramProtocol(UdSettings settings, QueuePairWork work, AddressHandles handles) {
        engine = new UdEngine(settings, work, handles);
    }

    @Override
    public QueuePairEngine engine() {
        return engine;
    }

    @Override
    public Service service() {
        return Service.UD;
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
}
