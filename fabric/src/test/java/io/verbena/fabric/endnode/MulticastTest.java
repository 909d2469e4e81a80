package io.verbena.fabric.endnode;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.TransportService;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Unreliable datagrams to multicast groups: a copy arrives at each member, once, and nowhere else. */
class MulticastTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int QKEY = 0x1111;
    private static final int EVERY_MEMBER = 0xffffff;
    private static final InetAddress GROUP = InetAddress.ofLiteral("ff12:401b:ffff::16");
    private static final InetAddress OTHER = InetAddress.ofLiteral("ff12:401b:ffff::17");

    /** A datagram queue pair of an endnode. */
    private static final class Member {
        final ProtectionDomain domain;
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final MemoryRegion memory;
        final QueuePair queuePair;

        Member(Endnode endnode) {
            domain = endnode.rnic().allocateProtectionDomain();
            cq = endnode.rnic().createCompletionQueue(64);
            cursor = cq.cursor();
            memory = domain.allocate(8_192, AccessRight.LOCAL_WRITE);
            queuePair =
                    domain.createQueuePair(QueuePairOptions.of(cq).withService(TransportService.UNRELIABLE_DATAGRAM));
            PathAttributes path = PathAttributes.to(AddressHandleAttributes.to(endnode.gid(0)))
                    .withPartition(0, QKEY);
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withPath(path));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
        }

        void receive() {
            queuePair.postReceive(9, memory, 4_096, 2_048);
        }

        void send(InetAddress group, byte content) {
            memory.segment().set(JAVA_BYTE, 0, content);
            assertTrue(queuePair.post(queuePair
                    .newWorkRequest()
                    .send()
                    .gather(memory, 0, 64)
                    .to(domain.createAddressHandle(AddressHandleAttributes.to(group)), EVERY_MEMBER, QKEY)
                    .id(7)));
        }

        /** The numbers of the completions that come within a time. */
        List<Long> completions(int most) {
            List<Long> ids = new ArrayList<>();
            while (ids.size() < most && cq.await(SECOND)) {
                while (cursor.next()) {
                    assertEquals(CompletionStatus.SUCCESS, cursor.status());
                    ids.add(cursor.wrId());
                }
            }
            return ids;
        }
    }

    static Stream<Supplier<San>> networks() {
        return Stream.of(
                () -> San.of(TopologySpecification.parse("leaf-spine:4x3,hosts=3"), SanSettings.DEFAULT),
                () -> San.of(TopologySpecification.parse("torus:4x4"), SanSettings.DEFAULT),
                () -> San.of(
                        TopologySpecification.parse("leaf-spine:4x2,hosts=3,sanics=1,ports=2"), SanSettings.DEFAULT),
                () -> San.managed(
                        TopologySpecification.parse("fat-tree:4"), SanSettings.DEFAULT, SubnetManager.Options.DEFAULT));
    }

    @ParameterizedTest
    @MethodSource("networks")
    void group_datagramOfAnyEndnode_reachesEachMemberOnce(Supplier<San> network) throws IOException {
        try (San san = network.get()) {
            List<Member> all = new ArrayList<>();
            for (int i = 0; i < san.endnodes(); i++) {
                all.add(new Member(san.open(i)));
            }
            Set<Integer> members = new TreeSet<>(Set.of(0, 1, 4, 7, 11));
            for (int member : members) {
                all.get(member).queuePair.joinGroup(GROUP);
            }
            all.get(2).queuePair.joinGroup(OTHER);
            for (int sender : new int[] {0, 2, 7, 9}) {
                check(all, members, sender);
            }
            all.get(4).queuePair.leaveGroup(GROUP);
            members.remove(4);
            check(all, members, 7);
            long lost = san.packetsLost();
            all.get(3).send(InetAddress.ofLiteral("ff12:401b:ffff::99"), (byte) 1);
            assertEquals(List.of(7L), all.get(3).completions(1), "a group without members");
            assertEquals(lost + 1, san.packetsLost());
        }
    }

    private static void check(List<Member> all, Set<Integer> members, int sender) {
        for (int i : members) {
            all.get(i).receive();
        }
        all.get(sender).send(GROUP, (byte) (40 + sender));
        for (int i = 0; i < all.size(); i++) {
            boolean member = members.contains(i);
            List<Long> expected = new ArrayList<>();
            if (i == sender) {
                expected.add(7L);
            }
            if (member) {
                expected.add(9L);
            }
            List<Long> found = all.get(i).completions(Math.max(1, expected.size()));
            assertEquals(expected, found.stream().sorted().toList(), "endnode " + i + ", sender " + sender);
            if (member) {
                assertEquals((byte) (40 + sender), all.get(i).memory.segment().get(JAVA_BYTE, 4_096 + 40));
            }
        }
        assertFalse(all.isEmpty());
    }
}
