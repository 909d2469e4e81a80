package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.verbena.fixture.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class MatchingTest {

    private static final int ANY = Matching.ANY;

    private final Matching<Receive, Message> matching = new Matching<>();

    private static final class Receive extends Matching.Entry {
        Receive(int source, int tag, int context) {
            match(source, tag, context);
        }
    }

    private static final class Message extends Matching.Entry {
        Message(int source, int tag, int context) {
            match(source, tag, context);
        }
    }

    private Receive post(int source, int tag, int context) {
        Receive receive = new Receive(source, tag, context);
        matching.post(receive);
        return receive;
    }

    private Message keep(int source, int tag, int context) {
        Message message = new Message(source, tag, context);
        matching.keep(message);
        return message;
    }

    @Test
    void receivesOfTheSameKind_oldestIsServedFirst() {
        Receive first = post(1, 2, 0);
        Receive second = post(1, 2, 0);
        assertEquals(2, matching.posted());
        assertSame(first, matching.onMessage(1, 2, 0));
        assertSame(second, matching.onMessage(1, 2, 0));
        assertNull(matching.onMessage(1, 2, 0));
        assertEquals(0, matching.posted());
    }

    @Test
    void sourceTagAndContext_allMustFit() {
        Receive exact = post(1, 2, 3);
        assertNull(matching.onMessage(0, 2, 3));
        assertNull(matching.onMessage(1, 1, 3));
        assertNull(matching.onMessage(1, 2, 2));
        assertSame(exact, matching.onMessage(1, 2, 3));

        Receive anySource = post(ANY, 2, 3);
        assertNull(matching.onMessage(9, 1, 3));
        assertNull(matching.onMessage(9, 2, 2));
        assertSame(anySource, matching.onMessage(9, 2, 3));

        Receive anyTag = post(1, ANY, 3);
        assertNull(matching.onMessage(0, 9, 3));
        assertSame(anyTag, matching.onMessage(1, 9, 3));
        assertEquals(ANY, anyTag.tag());
        assertEquals(1, anyTag.source());
        assertEquals(3, anyTag.context());
    }

    @Test
    void keptMessages_oldestThatFitsIsTaken_findTakesNothing() {
        keep(1, 2, 0);
        Message second = keep(2, 2, 0);
        Message third = keep(2, 3, 0);
        Message other = keep(2, 3, 1);
        assertEquals(4, matching.unexpected());
        assertSame(second, matching.find(2, ANY, 0));
        assertSame(third, matching.onReceive(ANY, 3, 0));
        assertSame(second, matching.onReceive(2, 2, 0));
        assertNull(matching.onReceive(2, ANY, 0));
        assertSame(other, matching.onReceive(ANY, ANY, 1));
        assertNull(matching.find(3, ANY, 0));
        assertNull(matching.find(ANY, 9, 0));
        assertEquals(1, matching.unexpected());
    }

    @Test
    void cancelled_isNotServed_twiceChangesNothing() {
        Receive first = post(1, 1, 0);
        Receive second = post(1, 1, 0);
        Receive third = post(1, 1, 0);
        matching.cancel(second);
        matching.cancel(second);
        assertEquals(2, matching.posted());
        matching.cancel(third);
        Receive last = post(1, 1, 0);
        assertSame(first, matching.onMessage(1, 1, 0));
        assertSame(last, matching.onMessage(1, 1, 0));
        matching.cancel(first);
        assertEquals(0, matching.posted());
    }

    @Test
    void takenBySomeRule_oldestFirst() {
        post(1, 1, 0);
        Receive second = post(2, 1, 0);
        Receive third = post(2, 1, 0);
        assertSame(second, matching.take(receive -> receive.source() == 2));
        assertSame(third, matching.take(receive -> receive.source() == 2));
        assertNull(matching.take(receive -> receive.source() == 2));
        assertEquals(1, matching.posted());
    }

    @Test
    void discarded_areGone_othersStayInOrder() {
        Message first = keep(1, 1, 0);
        keep(2, 1, 0);
        keep(2, 2, 0);
        Message last = keep(1, 2, 0);
        matching.discard(message -> message.source() == 2);
        assertEquals(2, matching.unexpected());
        assertSame(first, matching.onReceive(ANY, ANY, 0));
        assertSame(last, matching.onReceive(ANY, ANY, 0));
        matching.discard(message -> true);
        assertEquals(0, matching.unexpected());
    }

    /** The same as two plain lists, searched from the front. */
    @Tag(Seeds.TAG)
    @Test
    void randomOperations_sameAsPlainLists() {
        long seed = Seeds.one(1);
        Random random = new Random(seed);
        List<Receive> posted = new ArrayList<>();
        List<Message> kept = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int source = random.nextInt(-1, 3);
            int tag = random.nextInt(-1, 3);
            int context = random.nextInt(2);
            switch (random.nextInt(4)) {
                case 0 -> posted.add(post(source, tag, context));
                case 1 -> kept.add(keep(Math.max(0, source), Math.max(0, tag), context));
                case 2 -> {
                    int from = Math.max(0, source);
                    int what = Math.max(0, tag);
                    @Nullable Receive wanted = first(posted, r -> fits(r, from, what, context));
                    posted.remove(wanted);
                    assertSame(wanted, matching.onMessage(from, what, context), "seed " + seed);
                }
                default -> {
                    Receive like = new Receive(source, tag, context);
                    @Nullable Message wanted = first(kept, m -> fits(like, m.source(), m.tag(), m.context()));
                    kept.remove(wanted);
                    assertSame(wanted, matching.onReceive(source, tag, context), "seed " + seed);
                }
            }
            assertEquals(posted.size(), matching.posted());
            assertEquals(kept.size(), matching.unexpected());
        }
    }

    private static boolean fits(Receive receive, int source, int tag, int context) {
        return receive.context() == context
                && (receive.source() < 0 || receive.source() == source)
                && (receive.tag() < 0 || receive.tag() == tag);
    }

    private static <T> @Nullable T first(List<T> list, java.util.function.Predicate<T> which) {
        return list.stream().filter(which).findFirst().orElse(null);
    }
}
