import { z } from 'zod';
import { FEEDBACK_MAX_LENGTH } from '../../../contract/feedback.ts';
import { api, messageOf } from '../../lib/api-client.ts';
import { useDraft } from '../../lib/draft.ts';
import { useWrite } from '../../lib/use-write.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { inputClass } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';

async function sendFeedback(message: string): Promise<void> {
  const body = { title: 'feedback', message };
  await api('/user_feedback/create', { method: 'POST', body, schema: z.unknown() });
}

/** A few words to whoever runs the product. What was typed stays until it was sent. */
export function FeedbackDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const [text, setText, clear] = useDraft('feedback');
  const { mutate, isPending } = useWrite({
    mutationFn: (typed: string) => sendFeedback(typed.trim()),
    onSuccess: (_, typed) => {
      // Who writes on already is not interrupted.
      if (clear(typed)) onOpenChange(false);
      toast.success('Thanks for your feedback! We really appreciate it. 🙏');
    },
    onError: (error) =>
      toast.error(`Something happened while sending. Please try again later: ${messageOf(error)}`),
  });
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="We'd love your feedback" hasCross>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate(text);
        }}
      >
        <textarea
          aria-label="Feedback"
          placeholder="Your thoughts..."
          maxLength={FEEDBACK_MAX_LENGTH}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={classNames(inputClass(), 'mt-4 min-h-[104px]! resize-y py-2')}
        />
        <DialogActions>
          <Button type="submit" disabled={text.trim() === ''} busy={isPending}>
            Submit
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
