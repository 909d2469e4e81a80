package io.verbena.examples;

import io.verbena.verbs.*;
import java.lang.foreign.ValueLayout;
import java.net.*;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;

/** Messages that a publisher writes into the memory of each subscriber; the immediate data of a Write is the subscriber's notification. */
final class PublishSubscribe {

    private static final int SUBSCRIBERS = 3;
    private static final int MESSAGES = 32; // the depth of a receive queue: more would need an answer of the subscriber
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private PublishSubscribe() {}

    public static void main(String... args) throws Exception {
        try (Rnic rnic = Rnic.open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(SUBSCRIBERS * MESSAGES);
            MemoryRegion message = domain.allocate((long) MESSAGES * Long.BYTES);
            Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            List<Future<Long>> sums = new ArrayList<>();
            List<QueuePair> subscribers = new ArrayList<>();
            List<RemoteRegion> slots = new ArrayList<>();
            for (int i = 0; i < SUBSCRIBERS; i++) {
                sums.add(threads.submit(() -> subscribe(listener.localAddress())));
                ConnectionRequest request = listener.nextRequest(MINUTE).orElseThrow();
                slots.add(RemoteRegion.fromBytes(request.privateData()));
                subscribers.add(request.accept(domain.createQueuePair(cq)).queuePair());
            }
            for (int i = 0; i < MESSAGES; i++) {
                long at = (long) i * Long.BYTES;
                message.segment().set(ValueLayout.JAVA_LONG, at, i * 7L);
                for (int each = 0; each < SUBSCRIBERS; each++) {
                    long to = slots.get(each).address() + at;
                    QueuePair subscriber = subscribers.get(each);
                    subscriber.post(subscriber
                            .newWorkRequest()
                            .writeWithImmediate(to, slots.get(each).rkey(), i)
                            .gather(message, at, Long.BYTES)
                            .flags(WrFlags.UNSIGNALLED));
                }
            }
            for (Future<Long> sum : sums) {
                Check.that(sum.get() == 7L * MESSAGES * (MESSAGES - 1) / 2, "the sum is " + sum.get());
            }
            System.out.println(SUBSCRIBERS + " subscribers got " + MESSAGES + " messages each.");
        }
    }

    private static long subscribe(SocketAddress publisher) throws Exception {
        try (Rnic rnic = Rnic.open()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(2 * MESSAGES);
            QueuePair queuePair = domain.createQueuePair(cq);
            MemoryRegion slots =
                    domain.allocate((long) MESSAGES * Long.BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
            for (int i = 0; i < MESSAGES; i++) {
                queuePair.postReceive(i, slots, 0, 0);
            }
            ConnectionOptions offer =
                    ConnectionOptions.defaults().withPrivateData(slots.remote().toBytes());
            try (Connection _ = rnic.connect(queuePair, publisher, offer)) {
                long sum = 0;
                for (int i = 0; i < MESSAGES; i++) {
                    CompletionCursor received = cq.take(MINUTE);
                    Check.that(received.ok() && received.immediate() == i, received.reason());
                    sum += slots.segment().getAtIndex(ValueLayout.JAVA_LONG, received.immediate());
                }
                return sum;
            }
        }
    }
}
