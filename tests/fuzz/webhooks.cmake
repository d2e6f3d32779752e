chandler_fuzz(review_answer DEPS webhooks READS webhooks/review_answer.cc)
