package io.verbena.tools.flood;

import io.verbena.port.Addresses;
import io.verbena.wire.ib.CmReq;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.MadHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends connection requests at a rate, each from one of several addresses of 127/8 and with numbers of its own. It receives no answer. The
 * requests are copies of one that a real client has sent.
 */
final class Forger implements Runnable, AutoCloseable {

    private static final int ADDRESSES = 1_024;
    private static final int ALL_HOSTS = 0x00ff_ffff;
    private static final int LOOPBACK = 0x7f00_0000;

    /** Addresses below this one belong to honest peers. */
    private static final int FIRST_HOST = 0x0010_0000;

    private static final int QUEUE_PAIRS = 1 << 24;

    private record Source(DatagramChannel channel, Icrc.Flow flow) {}

    private final List<Source> sources = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(1);
    private final Icrc icrc = new Icrc();
    private final ByteBuffer packet;
    private final MemorySegment segment;
    private final MadHeader header = new MadHeader();
    private final CmReq request = new CmReq();
    private final InetSocketAddress target;
    private final int perSecond;
    private int sent;
    private volatile boolean over;

    /**
     * @param genuine the packet of a real client, from its BTH to its ICRC
     * @param taken the addresses to forge; if there are none, those of no peer
     */
    Forger(byte[] genuine, List<InetAddress> taken, InetSocketAddress target, int perSecond) throws IOException {
        this.target = target;
        this.perSecond = perSecond;
        packet = ByteBuffer.wrap(genuine.clone());
        segment = MemorySegment.ofBuffer(packet);
        long datagram = IbOpcode.UD_SEND_ONLY.headerBytes();
        header.wrap(segment, datagram);
        request.wrap(segment, datagram + MadHeader.LENGTH);
        for (InetAddress each : taken) {
            sources.add(source(each));
        }
        while (taken.isEmpty() && sources.size() < ADDRESSES) {
            int host = LOOPBACK | random.nextInt(FIRST_HOST, ALL_HOSTS);
            sources.add(source(Inet4Address.getByAddress(
                    ByteBuffer.allocate(Integer.BYTES).putInt(host).array())));
        }
    }

    private Source source(InetAddress address) throws IOException {
        DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress(address, 0));
        int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        InetAddress to = target.getAddress();
        return new Source(
                channel,
                new Icrc.Flow()
                        .source(Addresses.high(address), Addresses.low(address), port)
                        .target(Addresses.high(to), Addresses.low(to), target.getPort()));
    }

    @Override
    public void run() {
        long startNs = System.nanoTime();
        long intervalNs = TimeUnit.SECONDS.toNanos(1) / perSecond;
        try {
            for (long dueNs = startNs; !over; dueNs += intervalNs) {
                while (dueNs - System.nanoTime() > 0) {
                    LockSupport.parkNanos(dueNs - System.nanoTime());
                }
                send(sources.get(random.nextInt(sources.size())));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void send(Source from) throws IOException {
        header.transactionId(random.nextLong());
        request.localCommId(random.nextInt()).localCaGuid(random.nextLong()).localQpn(random.nextInt(QUEUE_PAIRS));
        packet.clear();
        int summed = packet.capacity() - Icrc.LENGTH;
        Icrc.write(segment, summed, icrc.compute(packet, 0, summed, from.flow(), 0));
        from.channel().send(packet.clear(), target);
        sent();
    }

    private synchronized void sent() {
        sent++;
        notifyAll();
    }

    /** Waits until this many requests have left. */
    synchronized void awaitSent(int requests) throws InterruptedException {
        while (sent < requests) {
            wait();
        }
    }

    /** Sends no further request. */
    void end() {
        over = true;
    }

    @Override
    public void close() throws IOException {
        end();
        for (Source each : sources) {
            each.channel().close();
        }
    }
}
