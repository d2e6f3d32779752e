chandler_fuzz(review_answer DEPS webhooks)
