package dev.berth.core.plan;

import java.time.Instant;
import java.util.List;

/** Which of the cards that fit is the best. */
public interface Placement {

    /** What speaks for a card; the highest is taken, on a tie the card with the lowest number. */
    Score score(Ask ask, Spot spot, Instant now);

    /** The word in the configuration. */
    String word();

    /** All there are: what each would say is always shown. */
    static List<Placement> all(ModelCache models) {
        return List.of(new BestScore(), new Balanced(models.most()), new Sampling());
    }
}
