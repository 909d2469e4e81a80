package io.verbena.proofs.jgroups;

import io.verbena.proofs.Carrier;
import io.verbena.proofs.Testimony;
import io.verbena.proofs.Witness;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TCP_NIO2;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.util.DefaultSocketFactory;

/**
 * Sends messages to the group and receives those of the other member. Arguments: carrier, own port, other
 * port, messages, and the time in ms after which a member that has found no other begins a group of its own.
 */
final class Member {

    static final int BYTES = 500;

    private static final String TOTALS = "carried by ";
    private static final long PATIENCE_S = 90;

    private final JChannel channel;
    private final CountDownLatch joined = new CountDownLatch(1);
    private final CountDownLatch received;
    private final CountDownLatch finished = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);
    private int next;

    private Member(JChannel channel, int messages) {
        this.channel = channel;
        received = new CountDownLatch(messages);
    }

    /** Where JGroups takes a provider. */
    private static final class Sockets extends DefaultSocketFactory {
        private final SelectorProvider provider;

        Sockets(SelectorProvider provider) {
            this.provider = provider;
        }

        @Override
        public SelectorProvider getSelectorProvider() {
            return provider;
        }

        @Override
        public SocketChannel createSocketChannel(String service) throws IOException {
            return provider.openSocketChannel();
        }

        @Override
        public ServerSocketChannel createServerSocketChannel(String service) throws IOException {
            return provider.openServerSocketChannel();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Carrier carrier = Carrier.valueOf(arguments[0]);
        int messages = Integer.parseInt(arguments[3]);
        SelectorProvider provider =
                carrier == Carrier.PLAIN ? SelectorProvider.provider() : VerbenaSelectorProvider.of(carrier.options());
        InetAddress loopback = InetAddress.getLoopbackAddress();
        TCP_NIO2 transport = new TCP_NIO2();
        transport.setBindAddress(loopback).setBindPort(Integer.parseInt(arguments[1]));
        transport.setSocketFactory(new Sockets(provider));
        TCPPING discovery = new TCPPING()
                .initialHosts(List.of(
                        new InetSocketAddress(loopback, Integer.parseInt(arguments[1])),
                        new InetSocketAddress(loopback, Integer.parseInt(arguments[2]))));
        discovery.setPortRange(0);
        JChannel channel = new JChannel(
                transport,
                discovery,
                new FD_ALL3(),
                new NAKACK2().useMcastXmit(false),
                new UNICAST3(),
                new STABLE(),
                new GMS().setJoinTimeout(Long.parseLong(arguments[4])),
                new MFC(),
                new UFC(),
                new FRAG2());
        new Member(channel, messages).run(messages);
        if (provider instanceof VerbenaSelectorProvider ours) {
            ours.totals().forEach(each -> System.out.println(TOTALS + Witness.line(each)));
        }
        channel.close();
        System.out.println("received " + messages);
    }

    /** What the member has printed. */
    static Testimony totals(List<String> output) {
        return Testimony.of(output.stream()
                .filter(line -> line.startsWith(TOTALS))
                .map(line -> line.substring(TOTALS.length()))
                .toList());
    }

    private void run(int messages) throws Exception {
        channel.setReceiver(new Receiver() {
            @Override
            public void viewAccepted(View view) {
                if (view.size() == 2) {
                    joined.countDown();
                } else if (joined.getCount() == 0) {
                    left.countDown();
                }
            }

            @Override
            public void receive(Message message) {
                if (!message.getSrc().equals(channel.getAddress())) {
                    onMessage(message);
                }
            }
        });
        channel.connect("proof");
        System.out.println("connected");
        await(joined, "the other member");
        boolean coordinator = channel.getAddress().equals(channel.getView().getCoord());
        for (int i = 0; i < messages; i++) {
            channel.send(new BytesMessage(null, value(i)));
        }
        await(received, "messages");
        leaveAfterTheOther(coordinator);
    }

    /**
     * The coordinator leaves last. JGroups drops what a member has sent if it sees that the member has left before it looks at the message:
     * so a member leaves only when an answer to its last message is here.
     */
    private void leaveAfterTheOther(boolean coordinator) throws Exception {
        if (coordinator) {
            await(finished, "the end of the other member");
            channel.send(new ObjectMessage(null, "done"));
            await(left, "the view without the other member");
        } else {
            channel.send(new ObjectMessage(null, "done"));
            await(finished, "the answer of the coordinator");
        }
    }

    private void onMessage(Message message) {
        if (message instanceof ObjectMessage) {
            finished.countDown();
        } else if (Arrays.equals(((BytesMessage) message).getArray(), value(next))) {
            next++;
            received.countDown();
        } else {
            System.out.println("message " + next + " has other bytes");
            Runtime.getRuntime().halt(1);
        }
    }

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        if (!latch.await(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new AssertionError("not here after " + PATIENCE_S + " s: " + what + ", " + latch.getCount());
        }
    }

    private static byte[] value(int number) {
        byte[] value = new byte[BYTES];
        new Random(number).nextBytes(value);
        return ByteBuffer.wrap(value).putInt(number).array();
    }
}
